import { triggerLimits } from '../../config/trigger-limits.ts'
import { DeployError, hasCode, messageOf } from '../../errors/error.ts'
import { type TriggerPorts, sealingContextOf } from '../../ports/documents.ts'
import type {
  NotificationsPort,
  OutgoingDelivery,
  OutgoingMessage,
} from '../../ports/notifications.ts'
import type { OutboundPort } from '../../ports/outbound.ts'
import type { ClockPort, LoggerPort } from '../../ports/system.ts'
import type { EpochMs } from '../../records/ids.ts'
import type { CommitStatusReply } from '../../records/notification.ts'
import { hostApis } from '../hosts/host-apis.ts'
import { createHostReplies } from '../hosts/host-replies.ts'
import { formatPreviewComment } from '../hosts/preview-comment.ts'
import {
  type DeliveryVerdict,
  deliverNotification,
  deliveryIdOf,
  evaluateAttempt,
} from './deliver-notification.ts'
import { notificationDocument } from './notification-document.ts'
import { createDeliverySender } from './delivery-sender.ts'
import type { KeyedNotification } from './send-delivery.ts'
import { dashboardAddressOf } from '../dashboard-address.ts'
import { toPrintable } from '../printable.ts'
import { digestOf } from '../webhooks/webhook-signature.ts'
import { parseDocumentValue } from '../parse-document-value.ts'
import { webhookDocument, webhookKeyOf } from '../webhooks/webhook-document.ts'

/** Dependencies of deliveries. */
export interface DeliverDeps extends TriggerPorts {
  readonly outbound: OutboundPort
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMs'>
  readonly logger: LoggerPort
  /** The public address of the dashboard, for links in replies. Absent: replies have no links. */
  readonly dashboardUrl?: string
}

/**
 * Delivers one message and reports the result to its queue. A message is removed when it was
 * delivered, or when its receiver was removed or paused. A message whose delivery failed
 * temporarily is redelivered later. An undeliverable message returns to the queue without further
 * calls, until the queue makes it a dead letter. Throws the errors of the stores.
 */
export async function deliverMessage(
  deps: DeliverDeps & { readonly notifications: Pick<NotificationsPort, 'remove' | 'postpone'> },
  { message, receipt, deliveries }: OutgoingDelivery,
): Promise<DeliveryVerdict['kind']> {
  const { notifications, marks, clock, logger } = deps
  const id = messageIdOf(message)
  const computeRetentionExpiry = (): EpochMs =>
    (clock.now() + triggerLimits.deliveryRetentionMs) as EpochMs
  if (await marks.isMarked(`told ${id}`)) {
    await notifications.remove(receipt)
    return 'delivered'
  }
  const isDead = deliveries > 1 && (await marks.isMarked(`dead ${id}`))
  const result: DeliveryVerdict = isDead
    ? { kind: 'dead', why: 'an earlier attempt was refused' }
    : await attemptDelivery(deps, message, deliveries)
  if (result.kind !== 'delivered')
    logger.write('warn', 'notification.failed', { id, attempt: deliveries, ...result })
  if (result.kind === 'retry') await notifications.postpone(receipt, result.afterMs)
  else if (result.kind === 'dead') {
    // The mark expires soon, so that the message is sent again after a later redrive.
    const deadMarkExpiry = (clock.now() + triggerLimits.deliveryClaimMs) as EpochMs
    if (!isDead) await marks.mark(`dead ${id}`, deadMarkExpiry)
    await notifications.postpone(receipt, 0)
  } else {
    await marks.mark(`told ${id}`, computeRetentionExpiry())
    await notifications.remove(receipt)
  }
  return result.kind
}

/**
 * Returns the id of a message, derived from its contents and receiver, so that a duplicate is sent
 * only once.
 */
function messageIdOf(message: OutgoingMessage): string {
  if (message.kind === 'notification') return deliveryIdOf(message.key, message.event)
  if (message.kind !== 'reply') return digestOf(JSON.stringify(message)).slice(0, 32)
  const { stack, request, state } = message.reply
  return digestOf(JSON.stringify(['reply', stack, request, state])).slice(0, 32)
}

async function attemptDelivery(
  deps: DeliverDeps,
  message: OutgoingMessage,
  attempt: number,
): Promise<DeliveryVerdict> {
  try {
    if (message.kind === 'reply') return await sendReply(deps, message.reply)
    const { key } = message
    const stored = await deps.documents.get(key)
    if (stored === undefined) return { kind: 'delivered' }
    const value = parseDocumentValue(notificationDocument, stored)
    if (message.kind !== 'notification') return await sendOnRequest(deps, { key, value }, message)
    if (value.isPaused) return { kind: 'delivered' }
    return await deliverNotification(deps, { key, value }, { event: message.event, attempt })
  } catch (thrown) {
    return classifyFailure(thrown, attempt)
  }
}

/**
 * Sends a delivery that a user requests, even if the notification is paused. Its message never
 * becomes a dead letter: the user sees the result in the history, and can repeat the request.
 */
async function sendOnRequest(
  deps: DeliverDeps,
  notification: KeyedNotification,
  { kind, id }: Extract<OutgoingMessage, { readonly id: string }>,
): Promise<DeliveryVerdict> {
  const sender = createDeliverySender(deps)
  try {
    if (kind === 'ping') await sender.ping(notification, id)
    else await sender.redeliver(notification, id)
  } catch (thrown) {
    const finalCodes = ['DOCUMENT_INVALID', 'DOCUMENT_UNKNOWN', 'SEALED_UNREADABLE'] as const
    if (!finalCodes.some(code => hasCode(thrown, code))) throw thrown
    deps.logger.write('warn', 'delivery.refused', { id, why: toPrintable(messageOf(thrown), 300) })
  }
  return { kind: 'delivered' }
}

/**
 * Classifies a failure. A failure that a user must correct is final, and a temporary failure of an
 * external call is retried. Rethrows any other error.
 */
function classifyFailure(thrown: unknown, attempt: number): DeliveryVerdict {
  const why = toPrintable(messageOf(thrown), 300)
  if (hasCode(thrown, 'OUTBOUND_REFUSED')) return { kind: 'dead', why }
  if (hasCode(thrown, 'DOCUMENT_INVALID') || hasCode(thrown, 'SEALED_UNREADABLE'))
    return { kind: 'dead', why }
  if (!hasCode(thrown, 'OUTBOUND_FAILED')) throw thrown
  const status = thrown instanceof DeployError ? thrown.details['status'] : undefined
  if (typeof status !== 'number') return evaluateAttempt({ kind: 'failed', why }, attempt)
  return evaluateAttempt({ kind: 'answered', status, retryAfter: undefined }, attempt)
}

/**
 * Sends a reply to the repository's host. Sends none if the webhook was deleted, has the form
 * `signed`, or has no credential.
 */
async function sendReply(deps: DeliverDeps, reply: CommitStatusReply): Promise<DeliveryVerdict> {
  const { documents, sealing, marks, clock, outbound } = deps
  const key = webhookKeyOf(reply.webhook)
  const stored = await documents.get(key)
  if (stored === undefined) return { kind: 'delivered' }
  const { form, apiUrl, credential } = parseDocumentValue(webhookDocument, stored)
  const host = hostApis[form]
  const { replies: calls } = host
  if (calls === undefined || credential === undefined) return { kind: 'delivered' }
  const finalStateMark = `answered ${digestOf(reply.stack, '\n', reply.request)}`
  // Messages are unordered, so an earlier state must not overwrite the final one.
  if (reply.state === 'pending' && (await marks.isMarked(finalStateMark)))
    return { kind: 'delivered' }
  if (reply.state !== 'pending')
    await marks.mark(finalStateMark, (clock.now() + triggerLimits.deliveryRetentionMs) as EpochMs)
  const openedCredential = await sealing.open(credential, sealingContextOf(key))
  const hostOptions = { outbound, host, calls, apiUrl, credential: openedCredential }
  const replies = createHostReplies(hostOptions)
  const { repository, commit, pullRequest, state, description, lines, stack } = reply
  const context = `antichain ${stack}`
  const targetUrl = addressOfReply(deps, reply)
  const urlField = targetUrl === undefined ? {} : { targetUrl }
  await replies.setStatus(repository, commit, { state, context, description, ...urlField })
  if (pullRequest !== undefined && lines !== undefined) {
    const isSuccessful = state === 'success'
    const { commentCharsMax: charsMax } = calls
    const comment = { stack, commit, isSuccessful, lines, charsMax }
    const text = formatPreviewComment({ ...comment, ...urlField })
    await replies.writeComment(repository, pullRequest, { text, subject: stack })
  }
  return { kind: 'delivered' }
}

/** Returns the address of the dashboard's page for a reply. Undefined without a public address. */
function addressOfReply(
  { dashboardUrl }: Pick<DeliverDeps, 'dashboardUrl'>,
  { stack, request, page }: CommitStatusReply,
): string | undefined {
  if (dashboardUrl === undefined) return undefined
  if (page?.kind !== 'plan') return dashboardAddressOf(dashboardUrl, stack, page)
  return dashboardAddressOf(dashboardUrl, stack, { kind: 'plan', request })
}
