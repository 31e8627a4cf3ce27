import type { UpdatePlanDraft } from './update-plan-draft.ts'
import type { UpdatePlanGuard } from './update-plan-guard.ts'

/**
 * The two roles of update plans in a run. `guard`: the plan that constrains the run. `draft`: the
 * plan that a preview collects. Either may be absent.
 */
export interface UpdatePlanUse {
  readonly guard: UpdatePlanGuard | undefined
  readonly draft: UpdatePlanDraft | undefined
  /** Whether the plan that constrains the run was approved. Absent: no. */
  readonly isApproved?: boolean
}
