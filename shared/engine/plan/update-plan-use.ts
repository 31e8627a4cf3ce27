import type { PlanDraft } from './plan-draft.ts'
import type { PlanGuard } from './plan-guard.ts'

/** The plan that a run is held to, and the one that it draws; either may be absent. */
export interface UpdatePlanUse {
  readonly guard: PlanGuard | undefined
  readonly draft: PlanDraft | undefined
}
