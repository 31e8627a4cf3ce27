import type { PlanDraft } from './plan-draft.ts'
import type { PlanGuard } from './plan-guard.ts'

/** The plan that constrains a run, and the plan that it drafts. Either may be absent. */
export interface UpdatePlanUse {
  readonly guard: PlanGuard | undefined
  readonly draft: PlanDraft | undefined
}
