import { DeployError, error } from '../../shared/errors/error.ts'
import type { DocumentKey, DocumentKind, StoredDocument } from '../../shared/ports/documents.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import { printable } from '../../shared/triggers/printable.ts'
import type { ApiPorts } from './route.ts'

/** A document as callers see it: what is secret in it says only that it is there. */
export interface DocumentView {
  readonly name: string
  /** `<project>/<stack>`, or '*'. */
  readonly stack: string
  readonly version: number
  readonly value: unknown
}

/** A page of documents; those that cannot be read are named by their codes. */
export async function listDocuments(
  { documents }: Pick<ApiPorts, 'documents'>,
  about: {
    readonly kind: DocumentKind
    readonly scope: DocumentKey['scope'] | undefined
    readonly cursor: string
  },
  shown: (stored: StoredDocument) => unknown,
): Promise<object> {
  const page = await documents.list(about.kind, about.cursor, about.scope)
  const items = page.documents.map(one => viewOf(one, shown))
  const unreadable = page.unreadable.map(({ key, why }) => ({
    name: key.name,
    code: why instanceof DeployError ? why.code : '',
  }))
  return { items, unreadable, ...(page.next === undefined ? {} : { next: page.next }) }
}

/** A document. Throws DOCUMENT_UNKNOWN, RECORD_DAMAGED. */
export async function knownDocument(
  { documents }: Pick<ApiPorts, 'documents'>,
  key: DocumentKey,
): Promise<StoredDocument> {
  const found = await documents.get(key)
  if (found === undefined)
    throw error('DOCUMENT_UNKNOWN', `there is no ${key.kind} '${printable(key.name)}'`)
  return found
}

/** How a document is made, and what goes with it. */
export interface Making {
  readonly made: (before: StoredDocument | undefined) => unknown
  readonly shown: (stored: StoredDocument) => unknown
  /** Takes away what belongs to a value that stands no more, or never stood. */
  readonly dropped?: (value: unknown) => Promise<void>
}

/**
 * Makes or changes a document from what it was; answers what stands. Throws DOCUMENT_CHANGED when
 * somebody else was faster.
 */
export async function putDocument(
  { documents }: Pick<ApiPorts, 'documents'>,
  key: DocumentKey,
  { made, shown, dropped }: Making,
): Promise<DocumentView> {
  const before = await documents.get(key)
  const value = await made(before)
  const version = await documents.put(key, value, before?.version ?? 0)
  if (version === false) {
    await dropped?.(value)
    throw changedMeanwhile(key)
  }
  if (before !== undefined) await dropped?.(before.value)
  return viewOf({ key, version, value }, shown)
}

/** Removes a document. Throws DOCUMENT_UNKNOWN, DOCUMENT_CHANGED. */
export async function removeDocument(
  ports: Pick<ApiPorts, 'documents'>,
  key: DocumentKey,
  dropped?: Making['dropped'],
): Promise<void> {
  const { version, value } = await knownDocument(ports, key)
  if (!(await ports.documents.remove(key, version))) throw changedMeanwhile(key)
  await dropped?.(value)
}

function changedMeanwhile({ kind, name }: DocumentKey): Error {
  return error('DOCUMENT_CHANGED', `the ${kind} '${printable(name)}' was changed meanwhile`)
}

/** A stored document as callers see it. */
export function viewOf(
  stored: StoredDocument,
  shown: (stored: StoredDocument) => unknown,
): DocumentView {
  const { scope, name } = stored.key
  const { project, stack } = stackPartsOf(scope as never)
  const of = scope === '*' ? '*' : `${project}/${stack}`
  return { name, stack: of, version: stored.version, value: shown(stored) }
}
