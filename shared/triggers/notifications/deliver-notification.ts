import { triggerLimits } from '../../config/trigger-limits.ts'
import { error, hasCode, messageOf } from '../../errors/error.ts'
import { type DocumentKey, type SealingPort, sealingContextOf } from '../../ports/documents.ts'
import type { OutboundPort } from '../../ports/outbound.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { NotificationEvent } from '../../records/notification.ts'
import { toPrintable } from '../printable.ts'
import {
  bodySignatureOf,
  digestOf,
  signatureOf,
  deliveryHeaders,
  pulumiHeaders,
} from '../webhooks/signature.ts'
import type { Notification } from './notification-document.ts'
import { type HookKind, hookKindOf } from './pulumi-filters.ts'
import { pulumiPayloadOf } from './pulumi-payload.ts'

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
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly afterMs: number; readonly why: string }
  /** The message becomes a dead letter. `why`: the reason. */
  | { readonly kind: 'dead'; readonly why: string }

/** The result of the HTTP call of an attempt. `forbidden`: the address must not be called. */
export type HttpCallResult =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'forbidden'; readonly why: string }

/**
 * Evaluates attempt number `attempt` (from 1). 2xx is delivered. No response, 408, 425, 429 and 5xx
 * are retried, up to `triggerLimits.notificationAttemptsMax` attempts. Any other response and a
 * forbidden address are final.
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
 * Makes attempt number `attempt` (from 1) to send an event to the receiver of a notification. The
 * id of a delivery is the same in every attempt. Throws DOCUMENT_INVALID and SEALED_UNREADABLE;
 * other failures are results.
 */
export async function deliverNotification(
  {
    outbound,
    sealing,
    clock,
  }: {
    readonly outbound: OutboundPort
    readonly sealing: SealingPort
    readonly clock: Pick<ClockPort, 'now'>
  },
  { key, value }: { readonly key: DocumentKey; readonly value: Notification },
  { event, attempt }: { readonly event: NotificationEvent; readonly attempt: number },
): Promise<DeliveryVerdict> {
  const secret = await openSecret(sealing, key, value)
  const kind = hookKindOf(value, event)
  const body = value.format === 'pulumi' ? pulumiPayloadOf(event, kind) : payloadOf(event)
  const timestamp = String(Math.floor(clock.now() / 1000))
  const id = deliveryIdOf(key, event)
  const headers = deliveryHeadersOf(value, { id, kind, body, secret, timestamp })
  const timeoutMs = triggerLimits.notificationTimeoutMs
  const request = { method: 'POST', url: value.url, headers, body, timeoutMs } as const
  return evaluateAttempt(await sendAttempt(outbound, request), attempt)
}

/**
 * Returns the secret of a notification, or undefined for one without. Throws DOCUMENT_INVALID for
 * a format that needs one, and SEALED_UNREADABLE.
 */
export async function openSecret(
  sealing: Pick<SealingPort, 'open'>,
  key: DocumentKey,
  { secret, format }: Notification,
): Promise<string | undefined> {
  if (secret !== undefined) return sealing.open(secret, sealingContextOf(key))
  if (format === 'pulumi') return undefined
  throw error('DOCUMENT_INVALID', `the notification '${toPrintable(key.name)}' has no secret`)
}

/** Returns the headers of a delivery, with the signature in the format of the notification. */
export function deliveryHeadersOf(
  { format }: Pick<Notification, 'format'>,
  delivery: {
    readonly id: string
    readonly kind: HookKind
    readonly body: string
    readonly secret: string | undefined
    /** The time of the attempt, in seconds since 1970. */
    readonly timestamp: string
  },
): Readonly<Record<string, string>> {
  const { id, kind, body, secret = '', timestamp } = delivery
  const contentType = { 'content-type': 'application/json' }
  if (format === 'pulumi')
    return {
      ...contentType,
      [pulumiHeaders.id]: id,
      [pulumiHeaders.kind]: kind,
      ...(secret === '' ? {} : { [pulumiHeaders.signature]: bodySignatureOf(secret, body) }),
    }
  return {
    ...contentType,
    [deliveryHeaders.id]: id,
    [deliveryHeaders.timestamp]: timestamp,
    [deliveryHeaders.signature]: `v1=${signatureOf(secret, timestamp, body)}`,
  }
}

async function sendAttempt(
  outbound: OutboundPort,
  request: Parameters<OutboundPort['call']>[0],
): Promise<HttpCallResult> {
  try {
    return await outbound.call(request, async ({ status, headers }) => ({
      kind: 'answered' as const,
      status,
      retryAfter: headers.get('retry-after'),
    }))
  } catch (thrown) {
    const why = toPrintable(messageOf(thrown), 300)
    if (hasCode(thrown, 'OUTBOUND_REFUSED')) return { kind: 'forbidden', why }
    if (hasCode(thrown, 'OUTBOUND_FAILED')) return { kind: 'failed', why }
    throw thrown
  }
}
