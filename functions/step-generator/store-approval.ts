import type { DeployInput, DeployResult } from '../../shared/engine/request.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import type { DeploymentRequest, RequestEnd } from '../../shared/records/stack-request.ts'
import { putWaitingApproval } from '../../shared/runtime/approvals/stored-approval.ts'
import type { StackRunDeps } from '../../shared/runtime/environment/stack-run-deps.ts'

/** The end of a request that was previewed. */
export type PreviewedEnd = Extract<RequestEnd, { readonly kind: 'previewed' }>

/** The documents in which approvals are stored. */
export type ApprovalDocuments = Parameters<typeof putWaitingApproval>[0]

/** A previewed request that needs an approval. */
interface PreviewedRequest {
  readonly queuedRequest: DeploymentRequest
  /** The parsed input with which the preview ran. */
  readonly input: DeployInput
  readonly result: DeployResult
  /** The time in which the plan can be approved. */
  readonly approvalPeriodMs: number
}

/**
 * Stores the plan of a preview, and the approval for which its request waits. Returns the field
 * `approval` of the request's end. This field, and later the options of the request
 * `approved <key>`, reference the plan, so the blob sweep keeps it. A failed preview has no plan,
 * so its request does not wait.
 */
export async function storeApproval(
  { platform }: Pick<StackRunDeps, 'platform'>,
  documents: ApprovalDocuments,
  { queuedRequest, input, result, approvalPeriodMs }: PreviewedRequest,
): Promise<Pick<PreviewedEnd, 'approval'>> {
  const { stack, key, by, token, options } = queuedRequest
  if (result.updatePlan === undefined) return {}
  const plan = await platform.blobs.put(Buffer.from(result.updatePlan))
  const { archive } = input.source
  const now = platform.clock.now()
  const { expiresAt } = await putWaitingApproval(documents, stack, {
    request: key,
    by,
    command: options.command,
    message: options.message,
    at: now,
    expiresAt: (now + approvalPeriodMs) as EpochMs,
    changes: { ...result.changes },
    plan,
    ...(token === undefined ? {} : { token }),
    ...(archive === undefined ? {} : { archive }),
  })
  return { approval: { expiresAt, plan, ...(archive === undefined ? {} : { archive }) } }
}
