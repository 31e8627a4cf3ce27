/**
 * triggers: external requests for deployments (webhooks, schedules) and external messages
 * (notifications, replies to pull requests). Imports ports and below.
 *
 * Invariants: 1. A body is parsed only after its signature was verified. 2. External data is parsed
 * once, at the boundary, and printed only through `toPrintable`. 3. All calls to addresses that
 * users configured use the outbound port. 4. The deployments of an event are a pure function of
 * data.
 *
 * This file: the interface of the formats of deliveries, and the checks that they share.
 */
import { triggerLimits } from '../../config/trigger-limits.ts'
import { createError } from '../../errors/error.ts'
import type { EpochMs } from '../../records/ids.ts'
import type { RepositoryEvent } from './repository-event.ts'
import { bodySignatureOf } from './webhook-signature.ts'

/** A delivery as received. */
export interface WebhookRequest {
  /** The headers by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
}

/** The input of a signature verification. */
export interface VerificationInput {
  /** The secret, and the previous one during a rotation. */
  readonly secrets: readonly string[]
  readonly now: EpochMs
}

/** The format of the deliveries of one kind of sender: signature, events and ids. */
export interface WebhookForm {
  /**
   * The headers that the form reads, including alternatives such as a token and a signature. The
   * documentation lists them.
   */
  readonly headers: readonly string[]
  /**
   * Throws WEBHOOK_REFUSED for a request without the headers of a signature. The check needs no
   * secret, so an unsigned request causes no request to KMS.
   */
  readonly requireSignature: (request: WebhookRequest) => void
  /** Verifies the signature, and its time if it has one. Throws WEBHOOK_REFUSED, WEBHOOK_STALE. */
  readonly verify: (request: WebhookRequest, input: VerificationInput) => void
  /** Parses the delivery. The caller verifies the delivery first. Throws WEBHOOK_MALFORMED. */
  readonly read: (request: WebhookRequest) => RepositoryEvent
  /**
   * Returns the identities by which a repeated delivery is recognized: the sender's own id, which a
   * repetition keeps, and a digest of the signed part. An attacker who replays a delivery can
   * change the id, which is not signed, but not the digest.
   */
  readonly identitiesOf: (request: WebhookRequest) => readonly string[]
}

/**
 * Refuses a delivery of an unknown webhook like a wrongly signed one: with the same error, and
 * after an HMAC of the body. Throws WEBHOOK_REFUSED.
 */
export function refuseUnknownWebhook(request: WebhookRequest): never {
  // Only the duration of the HMAC matters, so its result is not used.
  bodySignatureOf('an unknown webhook', request.body)
  throw createRefusedError()
}

/** Requires a header with a format. Throws WEBHOOK_REFUSED. */
export function requireHeaderFormat(request: WebhookRequest, name: string, format: RegExp): void {
  if (!format.test(requireHeader(request, name))) throw createRefusedError()
}

/** Returns a required header. Throws WEBHOOK_REFUSED. */
export function requireHeader(request: WebhookRequest, name: string): string {
  const value = request.headers.get(name)
  if (value === undefined || value === '') throw createRefusedError()
  return value
}

/** Returns the same error for every invalid signature or header, so an attacker learns nothing. */
export function createRefusedError(): Error {
  return createError(
    'WEBHOOK_REFUSED',
    'the delivery is not signed with the secret of this webhook',
  )
}

/** Throws WEBHOOK_STALE if the time of a signature, in seconds since 1970, is not recent. */
export function requireRecentTimestamp(timestamp: string, now: EpochMs): void {
  if (!timestampFormat.test(timestamp)) throw createRefusedError()
  const differenceMs = Math.abs(now - Number(timestamp) * 1000)
  if (differenceMs <= triggerLimits.replayWindowMs) return
  throw createError(
    'WEBHOOK_STALE',
    `the signature time of the delivery differs from the current time by ${Math.round(differenceMs / 1000)} s`,
    { details: { windowMs: triggerLimits.replayWindowMs } },
  )
}

/** The format of the time of a signature. */
export const timestampFormat = /^\d{1,12}$/
