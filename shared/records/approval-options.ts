import type { EpochMs } from './ids.ts'

/** The approval of an update plan by the holder of a token. */
export interface PlanApproval {
  /** The key of the request whose plan was approved. */
  readonly of: string
  /** The name of the token. */
  readonly by: string
  readonly note?: string
  /** The time of the approval. Absent for approvals of older versions. */
  readonly at?: EpochMs
}

/** The options of a deployment that concern the approval of its plan. */
export interface ApprovalOptions {
  /** Whether the rule of a webhook requires an approval of the plan. Absent: no. */
  readonly needsApproval?: boolean
  /** The approval of the update plan (`plan` of `DeploymentOptions`). The API sets this field. */
  readonly approval?: PlanApproval
}
