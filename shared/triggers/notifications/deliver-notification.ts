import { triggerLimits } from '../../config/trigger-limits.ts'
import { type DocumentKey, sealingContextOf } from '../../ports/documents.ts'
import type { NotificationEvent } from '../../records/notification.ts'
import { digestOf } from '../webhooks/webhook-signature.ts'
import { recordDelivery } from './delivery-history.ts'
import { deliveryKindOf } from './pulumi-filters.ts'
import { pulumiPayloadOf } from './pulumi-payload.ts'
import {
  type HttpCallResult,
  type KeyedNotification,
  sendDelivery,
  type SendPorts,
} from './send-delivery.ts'

type Kind = NotificationEvent['kind']

/** Maximum number of URNs in the body of a drift event. */
const urnsMax = 100

/** The additional fields of the body for an event, by its kind. */
const extraFieldsByKind: {
  readonly [K in Kind]: (event: Extract<NotificationEvent, { readonly kind: K }>) => object
} = {
  started: () => ({}),
  succeeded: ({ changes }) => ({ changes }),
  failed: ({ changes, codes }) => ({ changes, codes }),
  drift: ({ count, urns }) => ({ count, urns: urns.slice(0, urnsMax) }),
  approval: ({ changes, expiresAt }) => ({
    changes,
    expires: new Date(expiresAt).toISOString(),
  }),
  'approval-expired': ({ expiresAt }) => ({ expires: new Date(expiresAt).toISOString() }),
}

/**
 * Returns the body of a delivery: JSON with the kind of the event, its deployment or request, and
 * its details.
 */
export function payloadOf(event: NotificationEvent): string {
  const { kind, stack, deployment, request, command, at } = event
  const extraFields = (extraFieldsByKind[kind] as (notificationEvent: NotificationEvent) => object)(
    event,
  )
  const time = new Date(at).toISOString()
  const fields = { stack, deployment, request, command, time }
  return JSON.stringify({ event: `deployment.${kind}`, ...fields, ...extraFields })
}

/** Returns the id of an event's delivery to one receiver. The id is the same in every attempt. */
export function deliveryIdOf(key: DocumentKey, event: NotificationEvent): string {
  const eventSource = event.deployment ?? `request ${event.request ?? ''}`
  return digestOf([sealingContextOf(key), eventSource, event.kind].join('\n')).slice(0, 32)
}

/** The next step after an attempt. */
export type DeliveryVerdict =
  /** The message was sent, or no longer needs to be sent. */
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly afterMs: number; readonly why: string }
  /** The message becomes a dead letter. `why`: the reason. */
  | { readonly kind: 'dead'; readonly why: string }

/**
 * Evaluates attempt number `attempt` (from 1). A 2xx response means that the event was delivered.
 * No response, 408, 425, 429 and 5xx are retried, up to `triggerLimits.notificationAttemptsMax`
 * attempts. Any other response and a forbidden address are final.
 */
export function evaluateAttempt(callResult: HttpCallResult, attempt: number): DeliveryVerdict {
  if (callResult.kind === 'forbidden') return { kind: 'dead', why: callResult.why }
  if (callResult.kind === 'answered') {
    const { status } = callResult
    if (status >= 200 && status < 300) return { kind: 'delivered' }
    const isTemporary = status >= 500 || [408, 425, 429].includes(status)
    if (!isTemporary) return { kind: 'dead', why: `the receiver responded with ${status}` }
  }
  const why =
    callResult.kind === 'failed'
      ? callResult.why
      : `the receiver responded with ${callResult.status}`
  if (attempt >= triggerLimits.notificationAttemptsMax) return { kind: 'dead', why }
  return { kind: 'retry', afterMs: retryDelayOf(callResult, attempt), why }
}

/**
 * Returns the pause before the next attempt in ms. The first pause is `notificationRetryMs`, and
 * each further pause is three times as long. The receiver can request a longer pause. No pause is
 * longer than `notificationRetryMaxMs`.
 */
function retryDelayOf(callResult: HttpCallResult, attempt: number): number {
  const backoffMs = triggerLimits.notificationRetryMs * 3 ** (attempt - 1)
  const header = callResult.kind === 'answered' ? (callResult.retryAfter ?? '') : ''
  const requestedMs = /^\d{1,6}$/.test(header) ? Number(header) * 1000 : 0
  return Math.min(Math.max(backoffMs, requestedMs), triggerLimits.notificationRetryMaxMs)
}

/**
 * Makes attempt number `attempt` (from 1) to send an event to the receiver of a notification. Adds
 * the attempt to the history of the notification. The id of a delivery is the same in every
 * attempt. Throws DOCUMENT_INVALID and SEALED_UNREADABLE; other failures are results.
 */
export async function deliverNotification(
  deps: SendPorts & Parameters<typeof recordDelivery>[0],
  notification: KeyedNotification,
  { event, attempt }: { readonly event: NotificationEvent; readonly attempt: number },
): Promise<DeliveryVerdict> {
  const { key, value } = notification
  const kind = deliveryKindOf(value, event)
  const body = value.format === 'pulumi' ? pulumiPayloadOf(event, kind) : payloadOf(event)
  const draft = { id: deliveryIdOf(key, event), kind, body }
  const { result, delivery } = await sendDelivery(deps, notification, draft)
  await recordDelivery(deps, key, delivery)
  return evaluateAttempt(result, attempt)
}
