import { messageOf } from '../../errors/error.ts'
import type { DocumentKey, DocumentsPort, StoredDocument } from '../../ports/documents.ts'
import type { LoggerPort } from '../../ports/system.ts'
import { parseDocumentValue } from '../parse-document-value.ts'
import { readDocumentsOf } from '../read-documents.ts'
import { type Notification, notificationDocument } from './notification-document.ts'

/** Yields the valid notifications of a scope. Logs and omits an invalid one. */
export async function* readNotificationsOf(
  documents: Pick<DocumentsPort, 'list'>,
  logger: LoggerPort,
  scope: DocumentKey['scope'],
): AsyncGenerator<{ readonly stored: StoredDocument; readonly value: Notification }> {
  for await (const stored of readDocumentsOf(documents, 'notification', scope)) {
    let value: Notification
    try {
      value = parseDocumentValue(notificationDocument, stored)
    } catch (thrown) {
      const { name } = stored.key
      logger.write('warn', 'notification.unreadable', { scope, name, message: messageOf(thrown) })
      continue
    }
    yield { stored, value }
  }
}
