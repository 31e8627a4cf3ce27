import { isNameFixed, type NameProposal, proposeName } from '../../../names/propose-name.ts'
import type { Urn } from '../../../names/urn.ts'
import type { DecisionInput, DecisionPorts } from '../context.ts'
import type { Goal } from './goal.ts'

/**
 * Returns the name proposal for the Check request of a resource. `proposeName` computes it from the
 * naming rules. Undefined if the provider names the resource by its default. Source:
 * docs/spec/step-generation.md#check-and-policies, docs/spec/step-generation.md#autonaming.
 */
export function findNameProposal(
  { autonaming }: Pick<DecisionInput, 'autonaming'>,
  resource: { readonly type: string; readonly name: string; readonly seed: Uint8Array },
): NameProposal | undefined {
  return autonaming === undefined ? undefined : proposeName(autonaming, resource)
}

/**
 * Sets `deleteBeforeReplace` in a goal whose resource gets a fixed name from the autonaming
 * configuration. Two resources cannot have the same name, so the old one is deleted first. Returns
 * any other goal unchanged.
 */
export function setDeleteFirstForFixedName(
  { autonaming }: Pick<DecisionInput, 'autonaming'>,
  goal: Goal,
): Goal {
  if (autonaming === undefined || !goal.custom || !isNameFixed(autonaming, goal)) return goal
  return { ...goal, deleteBeforeReplace: true }
}

/** Warns that the provider of a resource does not support name proposals. */
export function warnNameUnsupported({ emitter }: Pick<DecisionPorts, 'emitter'>, urn: Urn): void {
  const message =
    `${urn} resource has a custom autonaming setting but the provider does not support ` +
    'autonaming configuration, consider upgrading to a newer version'
  emitter.report('warning', message, urn)
}
