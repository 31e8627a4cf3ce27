import { readBitbucketEvent } from './bitbucket-events.ts'
import { readBitbucketServerEvent } from './bitbucket-server-events.ts'
import { readGiteaEvent } from './gitea-events.ts'
import { readGithubEvent } from './github-events.ts'
import { gitlabForm } from './gitlab-form.ts'
import type { RepositoryEvent } from './repository-event.ts'
import {
  bodySignatureOf,
  deliveryHeaders,
  digestOf,
  isSameSignature,
  signatureOf,
} from './webhook-signature.ts'
import { readSignedEvent } from './signed-events.ts'
import {
  createRefusedError,
  requireHeader,
  requireHeaderFormat,
  requireRecentTimestamp,
  timestampFormat,
  type WebhookForm,
} from './webhook-form.ts'

/** The differences between the forms that sign only the body, with HMAC SHA-256 in hexadecimal. */
interface BodySignatureOptions {
  readonly signatureHeader: string
  /** The text before the signature. */
  readonly prefix: string
  readonly eventHeader: string
  /** The header with the id of the delivery. */
  readonly idHeader: string
  readonly readEvent: (name: string, body: Uint8Array) => RepositoryEvent
}

function createBodySignatureForm(options: BodySignatureOptions): WebhookForm {
  const { signatureHeader, prefix, eventHeader, idHeader, readEvent } = options
  return {
    headers: [signatureHeader, eventHeader, idHeader],
    requireSignature: request =>
      requireHeaderFormat(request, signatureHeader, new RegExp(`^${prefix}[0-9a-f]{64}$`)),
    verify: (request, { secrets }) => {
      const received = requireHeader(request, signatureHeader)
      const signature = received.startsWith(prefix) ? received.slice(prefix.length) : ''
      const matches = secrets.map(secret =>
        isSameSignature(signature, bodySignatureOf(secret, request.body)),
      )
      if (!matches.includes(true)) throw createRefusedError()
    },
    read: request => readEvent(requireHeader(request, eventHeader), request.body),
    identitiesOf: request => [
      `id ${digestOf(requireHeader(request, idHeader))}`,
      `body ${digestOf(request.body)}`,
    ],
  }
}

const signedForm: WebhookForm = {
  headers: [deliveryHeaders.signature, deliveryHeaders.timestamp, deliveryHeaders.id],
  requireSignature: request => {
    requireHeaderFormat(request, deliveryHeaders.signature, /^v1=[0-9a-f]{64}$/)
    requireHeaderFormat(request, deliveryHeaders.timestamp, timestampFormat)
  },
  verify: (request, { secrets, now }) => {
    const timestamp = requireHeader(request, deliveryHeaders.timestamp)
    const received = requireHeader(request, deliveryHeaders.signature).replace(/^v1=/, '')
    const matches = secrets.map(secret =>
      isSameSignature(received, signatureOf(secret, timestamp, request.body)),
    )
    if (!matches.includes(true)) throw createRefusedError()
    // The time is checked after the signature, so only a sender with the secret gets WEBHOOK_STALE.
    requireRecentTimestamp(timestamp, now)
  },
  read: request => readSignedEvent(request.body),
  identitiesOf: request => [
    `id ${digestOf(requireHeader(request, deliveryHeaders.id))}`,
    `body ${digestOf(requireHeader(request, deliveryHeaders.timestamp), '.', request.body)}`,
  ],
}

/** All forms, by the names that webhooks use. */
export const webhookForms = {
  github: createBodySignatureForm({
    signatureHeader: 'x-hub-signature-256',
    prefix: 'sha256=',
    eventHeader: 'x-github-event',
    idHeader: 'x-github-delivery',
    readEvent: readGithubEvent,
  }),
  gitlab: gitlabForm,
  bitbucket: createBodySignatureForm({
    signatureHeader: 'x-hub-signature',
    prefix: 'sha256=',
    eventHeader: 'x-event-key',
    idHeader: 'x-request-uuid',
    readEvent: readBitbucketEvent,
  }),
  'bitbucket-server': createBodySignatureForm({
    signatureHeader: 'x-hub-signature',
    prefix: 'sha256=',
    eventHeader: 'x-event-key',
    idHeader: 'x-request-id',
    readEvent: readBitbucketServerEvent,
  }),
  gitea: createBodySignatureForm({
    signatureHeader: 'x-gitea-signature',
    prefix: '',
    eventHeader: 'x-gitea-event',
    idHeader: 'x-gitea-delivery',
    readEvent: readGiteaEvent,
  }),
  signed: signedForm,
} as const satisfies Record<string, WebhookForm>

/** The name of a form. */
export type WebhookFormName = keyof typeof webhookForms
