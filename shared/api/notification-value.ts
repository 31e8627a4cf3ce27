import * as z from 'zod'
import { createError } from '../errors/error.ts'
import {
  type DocumentKey,
  type SealingPort,
  sealingContextOf,
  type StoredDocument,
} from '../ports/documents.ts'
import {
  type Notification,
  notificationDocument,
} from '../triggers/notifications/notification-document.ts'
import type { KeyedNotification } from '../triggers/notifications/send-delivery.ts'
import { refuseForbiddenUrl } from '../triggers/outbound/address-filter.ts'
import { parseDocumentValue } from '../triggers/parse-document-value.ts'
import type { ApiPorts } from './define-route.ts'
import { requireDocument } from './document-store.ts'

/** Minimum length of the secret of a notification with the format `signed`, in characters. */
const signedSecretMin = 16

/**
 * A notification as a user creates or changes it. Without `secret` a change keeps the previous
 * secret, and null removes it.
 */
export const notificationDraft = notificationDocument
  .omit({ secret: true, secretScope: true })
  .extend({ secret: z.string().min(1).max(1000).nullish() })

/**
 * Returns the notification to store for a draft. Throws OUTBOUND_REFUSED, API_INPUT_INVALID for the
 * format `signed` without a secret that is long enough, and DOCUMENT_INVALID for an unreadable
 * previous notification. A kept secret counts as long enough only if the format is unchanged.
 */
export async function createNotificationValue(
  {
    sealing,
    addresses,
  }: Pick<ApiPorts, 'addresses'> & { readonly sealing: Pick<SealingPort, 'seal'> },
  key: DocumentKey,
  { secret, ...fields }: z.infer<typeof notificationDraft>,
  storedPrevious: StoredDocument | undefined,
): Promise<Notification> {
  const previous =
    storedPrevious === undefined
      ? undefined
      : parseDocumentValue(notificationDocument, storedPrevious)
  refuseForbiddenUrl(fields.url, addresses)
  const keepsSecret = secret === undefined && previous?.secret !== undefined
  // A kept secret of another format may be too short.
  const isLongEnough = keepsSecret
    ? previous.format === fields.format
    : (secret ?? '').length >= signedSecretMin
  if (fields.format === 'signed' && !isLongEnough)
    throw createError(
      'API_INPUT_INVALID',
      `body.secret: the format signed needs a secret of at least ${signedSecretMin} characters`,
      { details: { at: 'body.secret' } },
    )
  if (typeof secret === 'string')
    return { ...fields, secret: await sealing.seal(secret, sealingContextOf(key)) }
  if (!keepsSecret) return fields
  const { secretScope } = previous
  const scopeField = secretScope === undefined ? {} : { secretScope }
  return { ...fields, secret: previous.secret, ...scopeField }
}

/** Returns a notification. Throws DOCUMENT_UNKNOWN, and DOCUMENT_INVALID if it is unreadable. */
export async function requireNotification(
  ports: Pick<ApiPorts, 'documents'>,
  key: DocumentKey,
): Promise<KeyedNotification> {
  return { key, value: parseDocumentValue(notificationDocument, await requireDocument(ports, key)) }
}
