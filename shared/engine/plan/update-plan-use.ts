import type { PlanDraft } from './plan-draft.ts'
import type { PlanGuard } from './plan-guard.ts'

/**
 * The guard of the plan that constrains a run, and the draft of the plan that the run collects.
 * Either may be absent.
 */
export interface UpdatePlanUse {
  readonly guard: PlanGuard | undefined
  readonly draft: PlanDraft | undefined
}
