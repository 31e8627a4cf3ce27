import type { PlanAction } from '../plan/plan-action.ts'
import type { CtyValue } from '../values/cty-value.ts'

/** A plan of a diff or of a preview, with the configuration and the object that it is for. */
export interface InitialPlan {
  readonly config: CtyValue
  readonly prior: CtyValue
  readonly planned: CtyValue
  readonly action: PlanAction
}

/** The latest initial plan of each resource in one process. */
export interface InitialPlans {
  readonly record: (urn: string, plan: InitialPlan) => void
  readonly find: (urn: string) => InitialPlan | undefined
}

/**
 * Maximum number of recorded plans. Further plans replace the oldest ones. A change without a
 * recorded plan is applied without the comparison of its initial and its final plan.
 */
const initialPlansMax = 10_000

/** Creates an empty collection of initial plans. */
export function createInitialPlans(): InitialPlans {
  const plans = new Map<string, InitialPlan>()
  return {
    record(urn, plan) {
      plans.delete(urn)
      plans.set(urn, plan)
      for (const oldest of plans.keys()) {
        if (plans.size <= initialPlansMax) break
        plans.delete(oldest)
      }
    },
    find: urn => plans.get(urn),
  }
}
