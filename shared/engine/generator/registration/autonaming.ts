import { isNameFixed, type NameProposal, proposeName } from '../../../names/automatic-name.ts'
import type { Urn } from '../../../names/urn.ts'
import type { GeneratorContext } from '../context.ts'
import type { Goal } from './goal.ts'

/**
 * What Check is told of the name of a resource. Source:
 * docs/spec/step-generation.md#check-and-policies, docs/spec/step-generation.md#autonaming.
 */
export function proposeResourceName(
  { autonaming }: Pick<GeneratorContext, 'autonaming'>,
  subject: { readonly type: string; readonly name: string; readonly seed: Uint8Array },
): NameProposal | undefined {
  return autonaming === undefined ? undefined : proposeName(autonaming, subject)
}

/** The goal, to be deleted before it is replaced when its name leaves no room for a second. */
export function deleteFirstIfNameFixed(
  { autonaming }: Pick<GeneratorContext, 'autonaming'>,
  goal: Goal,
): Goal {
  if (autonaming === undefined || !goal.custom || !isNameFixed(autonaming, goal)) return goal
  return { ...goal, deleteBeforeReplace: true }
}

/** Says that a provider cannot be told the name that somebody configured. */
export function warnNameUnsupported(ctx: Pick<GeneratorContext, 'emitter'>, urn: Urn): void {
  const message =
    `${urn} resource has a custom autonaming setting but the provider does not support ` +
    'autonaming configuration, consider upgrading to a newer version'
  ctx.emitter.report('warning', message, urn)
}
