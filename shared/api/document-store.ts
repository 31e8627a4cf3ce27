import { DeployError, createError } from '../errors/error.ts'
import type { DocumentKey, DocumentKind, StoredDocument } from '../ports/documents.ts'
import { stackPartsOf } from '../records/ids.ts'
import { removeDeliveryHistory } from '../triggers/notifications/delivery-history.ts'
import { toPrintable } from '../triggers/printable.ts'
import type { ApiPorts } from './define-route.ts'

/** A document for callers. Its value contains no secrets. */
export interface DocumentView {
  readonly name: string
  /** `<project>/<stack>`, or '*'. */
  readonly stack: string
  readonly version: number
  readonly value: unknown
}

/** Returns a page of documents. Unreadable documents are listed with their error codes. */
export async function listDocuments(
  { documents }: Pick<ApiPorts, 'documents'>,
  query: {
    readonly kind: DocumentKind
    readonly scope: DocumentKey['scope'] | undefined
    readonly cursor: string
  },
  show: (stored: StoredDocument) => unknown,
): Promise<object> {
  const page = await documents.list(query.kind, query.cursor, query.scope)
  const items = page.documents.map(document => documentViewOf(document, show))
  const unreadable = page.unreadable.map(({ key, reason }) => ({
    name: key.name,
    code: reason instanceof DeployError ? reason.code : '',
  }))
  return { items, unreadable, ...(page.next === undefined ? {} : { next: page.next }) }
}

/** Returns a document. Throws DOCUMENT_UNKNOWN, RECORD_DAMAGED. */
export async function requireDocument(
  { documents }: Pick<ApiPorts, 'documents'>,
  key: DocumentKey,
): Promise<StoredDocument> {
  const document = await documents.get(key)
  if (document === undefined)
    throw createError(
      'DOCUMENT_UNKNOWN',
      `the ${key.kind} '${toPrintable(key.name)}' does not exist`,
    )
  return document
}

/** A change of a document and of its related resources. */
export interface DocumentChange {
  /** Returns the value to store. `previous`: the document that the value replaces. */
  readonly createValue: (previous: StoredDocument | undefined) => unknown
  /** Returns the value of a document for callers, without secrets. */
  readonly show: (stored: StoredDocument) => unknown
  /**
   * Removes the resources that belong to a value, such as the scheduler calls of a schedule. The
   * value is no longer stored, or was never stored.
   */
  readonly removeRelated?: (value: unknown) => Promise<void>
}

/**
 * Creates a document, or changes it based on its previous version. Returns the stored document for
 * callers. Throws DOCUMENT_CHANGED after a concurrent change.
 */
export async function putDocument(
  { documents }: Pick<ApiPorts, 'documents'>,
  key: DocumentKey,
  { createValue, show, removeRelated }: DocumentChange,
): Promise<DocumentView & { readonly created: boolean }> {
  const previous = await documents.get(key)
  const value = await createValue(previous)
  const version = await documents.put(key, value, previous?.version ?? 0)
  if (version === false) {
    await removeRelated?.(value)
    throw createDocumentChangedError(key)
  }
  if (previous !== undefined) await removeRelated?.(previous.value)
  return { ...documentViewOf({ key, version, value }, show), created: previous === undefined }
}

/**
 * Removes a document and its related resources. With a notification, removes the history of its
 * deliveries too. Throws DOCUMENT_UNKNOWN, DOCUMENT_CHANGED.
 */
export async function removeDocument(
  ports: Pick<ApiPorts, 'documents'>,
  key: DocumentKey,
  removeRelated?: DocumentChange['removeRelated'],
): Promise<void> {
  const { version, value } = await requireDocument(ports, key)
  if (!(await ports.documents.remove(key, version))) throw createDocumentChangedError(key)
  if (key.kind === 'notification') await removeDeliveryHistory(ports.documents, key)
  await removeRelated?.(value)
}

/** Returns the error for a document that another call changed. */
export function createDocumentChangedError({ kind, name }: DocumentKey): Error {
  return createError(
    'DOCUMENT_CHANGED',
    `the ${kind} '${toPrintable(name)}' was changed concurrently`,
  )
}

/** Returns a stored document for callers. */
export function documentViewOf(
  stored: StoredDocument,
  show: (stored: StoredDocument) => unknown,
): DocumentView {
  const { scope, name } = stored.key
  const { project, stack } = stackPartsOf(scope as never)
  const stackName = scope === '*' ? '*' : `${project}/${stack}`
  return { name, stack: stackName, version: stored.version, value: show(stored) }
}
