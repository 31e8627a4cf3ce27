import { triggerLimits } from '../config/trigger-limits.ts'
import type {
  DocumentKey,
  DocumentKind,
  DocumentPage,
  DocumentsPort,
  StoredDocument,
} from '../ports/documents.ts'

/** Yields the documents of a kind and scope, from at most `documentPagesMax` pages. */
export async function* readDocumentsOf(
  documents: Pick<DocumentsPort, 'list'>,
  kind: DocumentKind,
  scope: DocumentKey['scope'],
): AsyncGenerator<StoredDocument> {
  let cursor: string | undefined = ''
  for (let page = 0; page < triggerLimits.documentPagesMax && cursor !== undefined; page += 1) {
    const documentPage: DocumentPage = await documents.list(kind, cursor, scope)
    yield* documentPage.documents
    cursor = documentPage.next
  }
}
