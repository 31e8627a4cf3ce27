import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import { messageOf } from '../../shared/errors/error.ts'
import type { StackId } from '../../shared/records/ids.ts'
import { isEditRequest } from '../../shared/records/stack-request.ts'
import {
  isExpiryDue,
  listApprovals,
  markExpiryReported,
  type StoredApproval,
} from '../../shared/runtime/approvals/stored-approval.ts'
import { createReply } from '../../shared/triggers/notifications/create-reply.ts'
import { runOnce } from '../../shared/triggers/run-once.ts'
import { type NotifyDeps, sendNotifications } from './send-notifications.ts'

/**
 * Reports each expired approval of a stack once to the receivers of notifications. The approval of
 * a webhook's request is also reported as the status of its commit. An error is only logged, and
 * the next check repeats the report with the same delivery id.
 */
export async function notifyExpiredApprovals(deps: NotifyDeps, stack: StackId): Promise<void> {
  const { platform, notifier } = deps
  if (notifier === undefined) return
  try {
    const now = platform.clock.now()
    for (const approval of await listApprovals(notifier.documents, stack)) {
      if (!isExpiryDue(approval, now)) continue
      const { request } = approval
      const taskIds = [`expired ${stack} ${request}`]
      const task = { taskIds, retentionMs: triggerLimits.deliveryRetentionMs }
      const onceResult = await runOnce({ marks: notifier.marks, clock: platform.clock }, task, () =>
        reportExpiry(deps, stack, approval),
      )
      if (onceResult.kind !== 'underway')
        await markExpiryReported(notifier.documents, stack, request)
    }
  } catch (thrown) {
    platform.logger.write('warn', 'notify.failed', { stack, message: messageOf(thrown) })
  }
}

/** Sends the messages about an expired plan, unless its request was withdrawn or has a new plan. */
async function reportExpiry(
  deps: NotifyDeps,
  stack: StackId,
  { request: key, command, plan, expiresAt }: StoredApproval,
): Promise<void> {
  const stored = await deps.platform.requests.find(stack, key)
  if (stored === undefined || isEditRequest(stored.request)) return
  const { request, end } = stored
  if (end?.kind !== 'previewed' || end.approval?.plan !== plan) return
  const at = deps.platform.clock.now()
  const event = { kind: 'approval-expired', stack, request: key, command, at, expiresAt } as const
  const description = `the plan was not approved by ${new Date(expiresAt).toISOString()}`
  const reply = createReply(request, 'failure', { description, page: { kind: 'plan' } })
  await sendNotifications(deps, event, reply)
}
