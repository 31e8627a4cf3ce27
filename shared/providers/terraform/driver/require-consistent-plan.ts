import { findInconsistencies } from '../plan/object-inconsistencies.ts'
import type { ProviderFlaw } from '../plan/object-shape.ts'
import { isConsistentAction, type PlanAction } from '../plan/plan-action.ts'
import type { CtyPath } from '../values/cty-path.ts'
import { areEqualRaw } from '../values/raw-equality.ts'
import type { InitialPlan } from './initial-plans.ts'
import { createRefusal, describeProviderBug } from './provider-failure.ts'
import type { ResourceType } from './terraform-package.ts'
import type { TerraformSession } from './terraform-session.ts'

/** The plan of a change that is about to be applied, and the action that the engine requested. */
interface FinalPlan extends InitialPlan {
  readonly urn: string
  readonly requested: PlanAction
  readonly sensitivePaths: readonly CtyPath[]
}

/**
 * Compares the final plan of a change with the requested action and the initial plan, before the
 * change is applied. The initial plan comes from a diff or preview. It is ignored if it was made
 * for another object or another configuration. Throws ProviderError for a contradiction.
 */
export function requireConsistentPlan(
  session: TerraformSession,
  resource: ResourceType,
  final: FinalPlan,
): void {
  const flaws = findPlanChanges(resource, session.initialPlans.find(final.urn), final)
  if (flaws.length === 0) return
  throw createRefusal(
    describeProviderBug(
      session.pkg.name,
      `planned another change of '${final.urn}' than before`,
      flaws,
    ),
  )
}

function findPlanChanges(
  { block }: ResourceType,
  initial: InitialPlan | undefined,
  final: FinalPlan,
): readonly ProviderFlaw[] {
  // A part of the configuration that was unknown in the initial plan may be known now.
  const isComparable =
    initial !== undefined &&
    areEqualRaw(initial.prior, final.prior) &&
    findInconsistencies(block, { planned: initial.config, actual: final.config }).length === 0
  const earlierActions = isComparable ? [final.requested, initial.action] : [final.requested]
  const contradictedAction = earlierActions.find(
    action => !isConsistentAction(action, final.action),
  )
  if (contradictedAction !== undefined)
    return [{ message: `the action '${contradictedAction}' became '${final.action}'`, path: [] }]
  if (!isComparable) return []
  const states = { planned: initial.planned, actual: final.planned }
  return findInconsistencies(block, states, final.sensitivePaths)
}
