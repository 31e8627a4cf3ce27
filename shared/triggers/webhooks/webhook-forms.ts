/**
 * triggers: what asks for deployments from outside (webhooks, schedules) and what is told outside
 * (notifications, answers to pull requests). Imports ports and below.
 *
 * Invariants: 1. Nothing of a body is read before its signature is right. 2. What came from outside
 * is parsed once, at the edge, and printed only through `printable`. 3. No call leaves but by the
 * outbound port. 4. Which deployment follows from what is a pure function of data.
 *
 * This file: the forms of webhooks, a row each.
 */
import { triggerLimits } from '../../config/trigger-limits.ts'
import { error } from '../../errors/error.ts'
import type { EpochMs } from '../../records/ids.ts'
import { readGithubEvent } from './github-events.ts'
import type { RepositoryEvent } from './repository-event.ts'
import {
  bodySignatureOf,
  digestOf,
  isSameSignature,
  signatureOf,
  signedHeaders,
} from './signature.ts'
import { readSignedEvent } from './signed-events.ts'

/** A delivery as it came. */
export interface WebhookRequest {
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
}

/** What a signature is held against. */
export interface VerificationInput {
  /** The secret, and during its change the one before it. */
  readonly secrets: readonly string[]
  readonly now: EpochMs
}

/** A form of webhooks. */
export interface WebhookForm {
  /** Headers that must be there. */
  readonly headers: readonly string[]
  /** Throws WEBHOOK_REFUSED and WEBHOOK_STALE. */
  readonly verify: (request: WebhookRequest, checking: VerificationInput) => void
  /** What the delivery tells. Only after `verify`. Throws WEBHOOK_MALFORMED. */
  readonly read: (request: WebhookRequest) => RepositoryEvent
  /**
   * By what the delivery is known again: the sender's own id, which a repetition keeps, and a
   * digest of what is signed, for the id is not, and who replays a delivery may write another.
   */
  readonly identitiesOf: (request: WebhookRequest) => readonly string[]
}

const github: WebhookForm = {
  headers: ['x-hub-signature-256', 'x-github-event', 'x-github-delivery'],
  verify: (request, { secrets }) => {
    const received = requireHeader(request, 'x-hub-signature-256').replace(/^sha256=/, '')
    const isRight = secrets.map(secret =>
      isSameSignature(received, bodySignatureOf(secret, request.body)),
    )
    if (!isRight.includes(true)) throw refusedError()
  },
  read: request => readGithubEvent(requireHeader(request, 'x-github-event'), request.body),
  identitiesOf: request => [
    `id ${digestOf(requireHeader(request, 'x-github-delivery'))}`,
    `body ${digestOf(request.body)}`,
  ],
}

const signed: WebhookForm = {
  headers: [signedHeaders.signature, signedHeaders.timestamp, signedHeaders.id],
  verify: (request, { secrets, now }) => {
    const timestamp = requireHeader(request, signedHeaders.timestamp)
    const received = requireHeader(request, signedHeaders.signature).replace(/^v1=/, '')
    const isRight = secrets.map(secret =>
      isSameSignature(received, signatureOf(secret, timestamp, request.body)),
    )
    if (!isRight.includes(true)) throw refusedError()
    // Told apart only to those who know the secret.
    if (!/^\d{1,12}$/.test(timestamp)) throw refusedError()
    const awayMs = Math.abs(now - Number(timestamp) * 1000)
    if (awayMs > triggerLimits.replayWindowMs)
      throw error(
        'WEBHOOK_STALE',
        `the delivery was signed ${Math.round(awayMs / 1000)} s away from now`,
        { details: { windowMs: triggerLimits.replayWindowMs } },
      )
  },
  read: request => readSignedEvent(request.body),
  identitiesOf: request => [
    `id ${digestOf(requireHeader(request, signedHeaders.id))}`,
    `body ${digestOf(requireHeader(request, signedHeaders.timestamp), '.', request.body)}`,
  ],
}

/** Every form, by the name that a webhook has it by. */
export const webhookForms = { github, signed } as const satisfies Record<string, WebhookForm>

/** The name of a form. */
export type WebhookFormName = keyof typeof webhookForms

/** A header that the form needs. Throws WEBHOOK_REFUSED. */
function requireHeader(request: WebhookRequest, name: string): string {
  const value = request.headers.get(name)
  if (value === undefined || value === '') throw refusedError()
  return value
}

/** One sentence for everything that is wrong: who guesses learns nothing. */
function refusedError(): Error {
  return error('WEBHOOK_REFUSED', 'the delivery is not signed with the secret of this webhook')
}
