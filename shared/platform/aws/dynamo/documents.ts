import { triggerLimits } from '../../../config/trigger-limits.ts'
import type {
  DocumentKey,
  DocumentKind,
  DocumentsPort,
  ExpiringDocument,
  StoredDocument,
} from '../../../ports/documents.ts'
import type { RandomPort } from '../../../ports/system.ts'
import { serializeDocument } from '../../records/document-text.ts'
import { joinConditions, readableCondition, existsCondition } from './table/expressions.ts'
import { readFlag, type Item, toItem, readNumber, readText } from './table/item.ts'
import { catalogKeys as keys } from './record-keys.ts'
import { formatAttributeOf, parseJsonAttribute, requireReadableItem } from './record-format.ts'
import { getItem, queryItems, type ItemRange, type Table, updateItem } from './table/table.ts'

/** Dependencies of the documents. */
interface DocumentsDeps {
  /** The catalog table, or the journal table for the limits of calls. */
  readonly table: Table
  readonly random: Pick<RandomPort, 'uuid'>
}

/**
 * Creates the port of the documents, which are items of the catalog table, with one partition per
 * kind. The limits of calls are items of the journal table, with one partition per stack, because
 * executors do not write the catalog. Each write is one conditional request. A put writes a token,
 * which identifies a repetition of the put. The item of a removed document stays and keeps its
 * version, so no version is used twice. Only an expiry removes an item with its version. Lists
 * leave removed documents out, so a page may have fewer documents than its limit.
 */
export function createDocuments({ table, random }: DocumentsDeps): DocumentsPort {
  return {
    get: async key => {
      const item = await getItem(table, keys.document(key))
      return item === undefined ? undefined : parseDocumentItem(key, item)
    },
    put: (key, value, version) => putDocumentItem({ table, random }, { key, value, version }),
    putExpiring: document => putDocumentItem({ table, random }, document),
    remove: async (key, version) => {
      const writeResult = await updateItem(table, {
        key: keys.document(key),
        updateExpression: 'SET #removed = :yes, #value = :null, #token = :empty',
        condition: joinConditions(
          joinConditions(existsCondition, readableCondition),
          '#version = :version',
        ),
        values: {
          ...toItem({ version, yes: true, null: 'null', empty: '' }),
          ...formatAttributeOf('document'),
        },
      })
      if (writeResult.isDone || writeResult.existing === undefined) return true
      requireReadableItem('document', { ...key }, writeResult.existing)
      return readFlag(writeResult.existing, 'removed')
    },
    list: async (kind, cursor, scope) => {
      const range = rangeOf(kind, cursor, scope)
      const limit = triggerLimits.documentsPerPage
      const items = range === undefined ? [] : await queryItems(table, { ...range, limit })
      const lastItem = items[limit - 1]
      return {
        ...parsePage(kind, items),
        next: lastItem === undefined ? undefined : readText(lastItem, 'sk'),
      }
    },
  }
}

/**
 * Puts a document if `version` is its current version. Replaces its expiry if `expiresAt` is set.
 * Returns the new version, or false when the current version is another one.
 */
async function putDocumentItem(
  { table, random }: DocumentsDeps,
  { key, value, version, expiresAt }: StoredDocument & Partial<ExpiringDocument>,
): Promise<number | false> {
  const token = random.uuid()
  const assignments = '#value = :value, #token = :token, #removed = :no, #format = :format'
  const writeResult = await updateItem(table, {
    key: keys.document(key),
    updateExpression:
      expiresAt === undefined
        ? `SET ${assignments} ADD #version :one`
        : `SET ${assignments}, #expires = :expires ADD #version :one`,
    condition: joinConditions(
      readableCondition,
      version === 0
        ? // DynamoDB removes an expired item some time after its expiry, so a put may replace it.
          // If this put writes an expiry in the past, a retry of the request must not put again.
          'attribute_not_exists(#pk) OR #removed = :yes OR (#expires < :now AND #token <> :token)'
        : '#version = :expected AND #removed = :no',
    ),
    values: {
      ...toItem({ value: serializeDocument(key, value), token, one: 1, expected: version }),
      ...toItem({ yes: true, no: false, expires: Math.ceil((expiresAt ?? 0) / 1000) }),
      ...toItem({ now: Math.floor(table.clock.now() / 1000) }),
      ...formatAttributeOf('document'),
    },
  })
  if (writeResult.isDone) return readNumber(writeResult.item, 'version')
  const { existing } = writeResult
  if (existing === undefined) return false
  requireReadableItem('document', { ...key }, existing)
  return readText(existing, 'token') === token && readNumber(existing, 'version')
}

/** Returns the range of items after a cursor, or undefined when the range is empty. */
function rangeOf(
  kind: DocumentKind,
  cursor: string,
  scope: DocumentKey['scope'] | undefined,
): Omit<ItemRange, 'limit'> | undefined {
  const { pk } = keys.document({ kind, scope: scope ?? '*', name: '' })
  if (scope === undefined) return cursor === '' ? { pk } : { pk, after: cursor }
  // A sort key is `<scope> <name>`. A space sorts before every character of a name, and a tilde
  // after all of them. The bound `<cursor> ` therefore excludes the item of the cursor, but no
  // later item.
  const atLeast = cursor === '' ? `${scope} ` : `${cursor} `
  const atMost = `${scope} ~`
  return atLeast <= atMost ? { pk, atLeast, atMost } : undefined
}

function parsePage(
  kind: DocumentKind,
  items: readonly Item[],
): Pick<Awaited<ReturnType<DocumentsPort['list']>>, 'documents' | 'unreadable'> {
  const documents: StoredDocument[] = []
  const unreadable: { readonly key: DocumentKey; readonly reason: Error }[] = []
  for (const item of items) {
    const [scope = '', name = ''] = readText(item, 'sk').split(' ')
    const key: DocumentKey = { kind, scope: scope as DocumentKey['scope'], name }
    try {
      const document = parseDocumentItem(key, item)
      if (document !== undefined) documents.push(document)
    } catch (thrown) {
      unreadable.push({ key, reason: thrown instanceof Error ? thrown : new Error(String(thrown)) })
    }
  }
  return { documents, unreadable }
}

/** Parses the item of a document. Returns undefined for a removed document. */
export function parseDocumentItem(key: DocumentKey, item: Item): StoredDocument | undefined {
  const record = { kind: 'document', keys: { ...key } } as const
  requireReadableItem('document', record.keys, item)
  if (readFlag(item, 'removed')) return undefined
  const isDefined = (value: unknown): value is unknown => value !== undefined
  return {
    key,
    version: readNumber(item, 'version'),
    value: parseJsonAttribute(record, item, 'value', isDefined),
  }
}
