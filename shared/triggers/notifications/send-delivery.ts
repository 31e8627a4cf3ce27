import { triggerLimits } from '../../config/trigger-limits.ts'
import { createError, hasCode, messageOf } from '../../errors/error.ts'
import type { DocumentKey, SealingPort } from '../../ports/documents.ts'
import type { OutboundPort, OutboundResponse } from '../../ports/outbound.ts'
import type { ClockPort } from '../../ports/system.ts'
import { toPrintable, toPrintableLines } from '../printable.ts'
import {
  bodySignatureOf,
  deliveryHeaders,
  pulumiHeaders,
  signatureOf,
} from '../webhooks/webhook-signature.ts'
import type { SentDelivery } from './delivery-history.ts'
import { type Notification, secretContextOf } from './notification-document.ts'
import type { DeliveryKind } from './pulumi-filters.ts'

/** A notification with its document key. */
export interface KeyedNotification {
  readonly key: DocumentKey
  readonly value: Notification
}

/** The ports that send deliveries. */
export interface SendPorts {
  readonly outbound: OutboundPort
  readonly sealing: Pick<SealingPort, 'open'>
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMs'>
}

/** The contents of a delivery. Every attempt to send it has the same id. */
export interface DeliveryDraft {
  readonly id: string
  readonly kind: DeliveryKind
  readonly body: string
}

/** The result of the HTTP call of an attempt. `forbidden`: the address must not be called. */
export type HttpCallResult =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'forbidden'; readonly why: string }

/** One attempt to send a delivery. */
export interface SendAttempt {
  readonly result: HttpCallResult
  readonly delivery: SentDelivery
}

/**
 * Sends a delivery to the receiver of a notification once. Throws DOCUMENT_INVALID and
 * SEALED_UNREADABLE; other failures are results.
 */
export async function sendDelivery(
  { outbound, sealing, clock }: SendPorts,
  { key, value }: KeyedNotification,
  { id, kind, body }: DeliveryDraft,
): Promise<SendAttempt> {
  const secret = await openSecret(sealing, key, value)
  const sentAt = clock.now()
  const timestamp = String(Math.floor(sentAt / 1000))
  const headers = headersOf(value, { id, kind, body, secret, timestamp })
  const startedMs = clock.monotonicMs()
  const call = { url: value.url, headers, body, timeoutMs: triggerLimits.notificationTimeoutMs }
  const { result, ...response } = await callReceiver(outbound, call)
  const durationMs = Math.round(clock.monotonicMs() - startedMs)
  const request = { url: value.url, requestHeaders: headers }
  return { result, delivery: { id, kind, body, sentAt, durationMs, ...request, ...response } }
}

/**
 * Returns the secret of a notification, or undefined if it has none. Throws SEALED_UNREADABLE, and
 * DOCUMENT_INVALID if the secret is missing and the format requires it.
 */
async function openSecret(
  sealing: SendPorts['sealing'],
  key: DocumentKey,
  notification: Notification,
): Promise<string | undefined> {
  const { secret, format } = notification
  if (secret !== undefined) return sealing.open(secret, secretContextOf(key, notification))
  if (format === 'pulumi') return undefined
  throw createError('DOCUMENT_INVALID', `the notification '${toPrintable(key.name)}' has no secret`)
}

/** Returns the headers of a delivery, with the signature in the format of the notification. */
function headersOf(
  { format }: Pick<Notification, 'format'>,
  delivery: DeliveryDraft & {
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

/** A response, as the history records it. `status` 0: the receiver did not respond. */
type RecordedResponse = Pick<SentDelivery, 'status' | 'responseHeaders' | 'responseText'>

async function callReceiver(
  outbound: OutboundPort,
  request: Omit<Parameters<OutboundPort['call']>[0], 'method'>,
): Promise<RecordedResponse & { readonly result: HttpCallResult }> {
  try {
    return await outbound.call({ method: 'POST', ...request }, async response => {
      const { status, headers } = response
      const retryAfter = headers.get('retry-after')
      const responseHeaders = readHeaders(headers)
      const responseText = await readBeginning(response)
      const result = { kind: 'answered', status, retryAfter } as const
      return { result, status, responseHeaders, responseText }
    })
  } catch (thrown) {
    const why = toPrintable(messageOf(thrown), 300)
    const noResponse = { status: 0, responseHeaders: {}, responseText: why }
    if (hasCode(thrown, 'OUTBOUND_REFUSED'))
      return { result: { kind: 'forbidden', why }, ...noResponse }
    if (hasCode(thrown, 'OUTBOUND_FAILED'))
      return { result: { kind: 'failed', why }, ...noResponse }
    throw thrown
  }
}

/** Returns the first headers of a response, up to `deliveryHeadersCharsMax` characters. */
function readHeaders(headers: OutboundResponse['headers']): Readonly<Record<string, string>> {
  const firstHeaders: [string, string][] = []
  let charsLeft = triggerLimits.deliveryHeadersCharsMax
  for (const [name, text] of headers) {
    const value = toPrintable(text, 1_000)
    charsLeft -= name.length + value.length
    if (charsLeft < 0) break
    firstHeaders.push([name, value])
  }
  return Object.fromEntries(firstHeaders)
}

/**
 * Returns the beginning of a response body. A response that breaks off still counts as received.
 */
async function readBeginning({ body }: OutboundResponse): Promise<string> {
  const bytesMax = triggerLimits.deliveryResponseBytesMax
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      sizeBytes += chunk.length
      if (sizeBytes >= bytesMax) break
    }
  } catch (thrown) {
    if (!hasCode(thrown, 'OUTBOUND_FAILED')) throw thrown
  }
  // The receiver chose the text, and the terminal of a user may show it, so it must be printable.
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, bytesMax))
  return toPrintableLines(text, { linesMax: 100, charsMax: 1_000 })
}
