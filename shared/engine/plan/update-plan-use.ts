import type { PlanDraft } from './plan-draft.ts'
import type { PlanGuard } from './plan-guard.ts'

/**
 * The two roles of update plans in a run. `guard`: the plan that constrains the run. `draft`: the
 * plan that a preview collects. Either may be absent.
 */
export interface UpdatePlanUse {
  readonly guard: PlanGuard | undefined
  readonly draft: PlanDraft | undefined
}
