import { readGitlabEvent } from './gitlab-events.ts'
import { digestOf, isSameText, standardSignatureOf } from './webhook-signature.ts'
import {
  createRefusedError,
  requireHeader,
  requireRecentTimestamp,
  timestampFormat,
  type VerificationInput,
  type WebhookForm,
  type WebhookRequest,
} from './webhook-form.ts'

/** The beginning of a signing secret of Standard Webhooks. Its key follows in base64. */
const signingSecretPrefix = 'whsec_'

/** Minimum number of bytes of the key in a signing secret. GitLab uses 32. */
const keyBytesMin = 24

/**
 * Reports whether a secret is a token, or a signing secret with a key that is long enough. A
 * shorter key could be found by brute force.
 */
export function isUsableGitlabSecret(secret: string): boolean {
  return !secret.startsWith(signingSecretPrefix) || decodeKey(secret).length >= keyBytesMin
}

function decodeKey(secret: string): Uint8Array {
  return Buffer.from(secret.slice(signingSecretPrefix.length), 'base64')
}

/** Headers of Standard Webhooks. */
const standardHeaders = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const

/** The header with the id of a delivery, and the one with the id of its event. */
const [idempotencyHeader, eventIdHeader] = ['idempotency-key', 'x-gitlab-event-uuid'] as const

/**
 * The form of GitLab. A secret that begins with `whsec_` is a signing secret: the delivery needs
 * its signature, and the header of the token is ignored. Any other secret is the token itself.
 */
export const gitlabForm: WebhookForm = {
  headers: [
    ...['x-gitlab-event', 'x-gitlab-token', idempotencyHeader, eventIdHeader],
    ...Object.values(standardHeaders),
  ],
  requireSignature: request => {
    const isSigned = (request.headers.get(standardHeaders.signature) ?? '') !== ''
    if (!isSigned) requireHeader(request, 'x-gitlab-token')
  },
  verify: (request, { secrets, now }) => {
    const [tokens, keys] = splitSecrets(secrets)
    const token = request.headers.get('x-gitlab-token') ?? ''
    const matches = tokens.map(secret => isSameText(token, secret))
    if (matches.includes(true)) return
    verifySignature(request, { secrets: keys, now })
  },
  read: request => readGitlabEvent(requireHeader(request, 'x-gitlab-event'), request.body),
  // The body of a push event contains no time, so two pushes can have equal bodies. The digest of a
  // body therefore identifies a delivery only together with the id of its event.
  identitiesOf: ({ headers, body }) => {
    const id = headers.get(standardHeaders.id) ?? headers.get(idempotencyHeader) ?? ''
    if (id !== '') return [`id ${digestOf(id)}`]
    return [`event ${digestOf(headers.get(eventIdHeader) ?? '', '.', body)}`]
  },
}

function splitSecrets(secrets: readonly string[]): readonly [readonly string[], readonly string[]] {
  const isKey = (secret: string): boolean => secret.startsWith(signingSecretPrefix)
  return [secrets.filter(secret => !isKey(secret)), secrets.filter(isKey)]
}

/** Verifies a signature of Standard Webhooks. Throws WEBHOOK_REFUSED and WEBHOOK_STALE. */
function verifySignature(request: WebhookRequest, { secrets, now }: VerificationInput): void {
  if (secrets.length === 0) throw createRefusedError()
  const id = requireHeader(request, standardHeaders.id)
  const timestamp = requireHeader(request, standardHeaders.timestamp)
  const signatures = requireHeader(request, standardHeaders.signature)
    .split(' ', 10)
    .filter(signature => signature.startsWith('v1,'))
    .map(signature => signature.slice('v1,'.length))
  if (!timestampFormat.test(timestamp)) throw createRefusedError()
  const matches = secrets.flatMap(secret => {
    const expected = standardSignatureOf(decodeKey(secret), { id, timestamp, body: request.body })
    return signatures.map(signature => isSameText(signature, expected))
  })
  if (!matches.includes(true)) throw createRefusedError()
  // The time is checked after the signature, so only a sender with the secret gets WEBHOOK_STALE.
  requireRecentTimestamp(timestamp, now)
}
