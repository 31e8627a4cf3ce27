import { triggerLimits } from '../../../config/trigger-limits.ts'
import type {
  DocumentKey,
  DocumentKind,
  DocumentsPort,
  StoredDocument,
} from '../../../ports/documents.ts'
import type { RandomPort } from '../../../ports/system.ts'
import { serializeDocument } from '../../records/document-text.ts'
import { andConditions, isReadable, isThere } from './table/expressions.ts'
import { readFlag, type Item, toItem, readNumber, readText } from './table/item.ts'
import { catalogKeys as keys } from './record-keys.ts'
import { formatAttributeOf, parseJsonAttribute, requireReadableItem } from './record-format.ts'
import { getItem, queryItems, type Range, type Table, updateItem } from './table/table.ts'

/** Dependencies of the documents. */
interface DocumentsDeps {
  readonly catalogTable: Table
  readonly random: Pick<RandomPort, 'uuid'>
}

/**
 * Creates the documents in the catalog, one partition per kind. Each write is one conditional
 * request with a token that identifies its repetition. A removed document keeps its version, so no
 * version is used twice. A page of a list may therefore have fewer documents than its limit.
 */
export function createDocuments({ catalogTable, random }: DocumentsDeps): DocumentsPort {
  return {
    get: async key => {
      const item = await getItem(catalogTable, keys.document(key))
      return item === undefined ? undefined : parseDocumentItem(key, item)
    },
    put: async (key, value, expected) => {
      const token = random.uuid()
      const written = await updateItem(catalogTable, {
        key: keys.document(key),
        set: 'SET #value = :value, #token = :token, #removed = :no, #format = :format ADD #version :one',
        condition: andConditions(
          isReadable,
          expected === 0
            ? 'attribute_not_exists(#pk) OR #removed = :yes'
            : '#version = :expected AND #removed = :no',
        ),
        values: {
          ...toItem({ value: serializeDocument(key, value), token, one: 1, expected }),
          ...toItem({ yes: true, no: false }),
          ...formatAttributeOf('document'),
        },
      })
      if (written.isDone) return readNumber(written.item, 'version')
      const { existing } = written
      if (existing === undefined) return false
      requireReadableItem('document', { ...key }, existing)
      return readText(existing, 'token') === token && readNumber(existing, 'version')
    },
    remove: async (key, version) => {
      const written = await updateItem(catalogTable, {
        key: keys.document(key),
        set: 'SET #removed = :yes, #value = :null, #token = :empty',
        condition: andConditions(andConditions(isThere, isReadable), '#version = :version'),
        values: {
          ...toItem({ version, yes: true, null: 'null', empty: '' }),
          ...formatAttributeOf('document'),
        },
      })
      if (written.isDone || written.existing === undefined) return true
      requireReadableItem('document', { ...key }, written.existing)
      return readFlag(written.existing, 'removed')
    },
    list: async (kind, cursor, scope) => {
      const range = rangeOf(kind, cursor, scope)
      const limit = triggerLimits.documentsPerPage
      const items = range === undefined ? [] : await queryItems(catalogTable, { ...range, limit })
      const last = items[limit - 1]
      return { ...pageOf(kind, items), next: last === undefined ? undefined : readText(last, 'sk') }
    },
  }
}

/** Returns the range of items after a cursor, or undefined when it is empty. */
function rangeOf(
  kind: DocumentKind,
  cursor: string,
  scope: DocumentKey['scope'] | undefined,
): Omit<Range, 'limit'> | undefined {
  const { pk } = keys.document({ kind, scope: '*', name: '' })
  if (scope === undefined) return cursor === '' ? { pk } : { pk, after: cursor }
  // A name begins with a letter or digit, so the range after a cursor begins with the cursor and a
  // space.
  const atLeast = cursor === '' ? `${scope} ` : `${cursor} `
  const atMost = `${scope} ~`
  return atLeast <= atMost ? { pk, atLeast, atMost } : undefined
}

function pageOf(
  kind: DocumentKind,
  items: readonly Item[],
): Pick<Awaited<ReturnType<DocumentsPort['list']>>, 'documents' | 'unreadable'> {
  const documents: StoredDocument[] = []
  const unreadable: { readonly key: DocumentKey; readonly why: Error }[] = []
  for (const item of items) {
    const [scope = '', name = ''] = readText(item, 'sk').split(' ')
    const key: DocumentKey = { kind, scope: scope as DocumentKey['scope'], name }
    try {
      const document = parseDocumentItem(key, item)
      if (document !== undefined) documents.push(document)
    } catch (thrown) {
      unreadable.push({ key, why: thrown instanceof Error ? thrown : new Error(String(thrown)) })
    }
  }
  return { documents, unreadable }
}

/** Parses the item of a document. Returns undefined for a removed document. */
function parseDocumentItem(key: DocumentKey, item: Item): StoredDocument | undefined {
  const record = { kind: 'document', keys: { ...key } } as const
  requireReadableItem('document', record.keys, item)
  if (readFlag(item, 'removed')) return undefined
  const isAny = (value: unknown): value is unknown => value !== undefined
  return {
    key,
    version: readNumber(item, 'version'),
    value: parseJsonAttribute(record, item, 'value', isAny),
  }
}
