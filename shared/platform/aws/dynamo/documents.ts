import { triggerLimits } from '../../../config/trigger-limits.ts'
import type {
  DocumentKey,
  DocumentKind,
  DocumentsPort,
  StoredDocument,
} from '../../../ports/documents.ts'
import type { RandomPort } from '../../../ports/system.ts'
import { documentText } from '../../records/document-text.ts'
import { both, isReadable, isThere } from './expressions.ts'
import { flag, type Item, itemOf, number, text } from './item.ts'
import { catalogKeys as keys } from './keys.ts'
import { formatOf, jsonIn, readableItem } from './stored.ts'
import { getItem, queryItems, type Range, type Table, updateItem } from './table.ts'

/** What documents are kept with. */
interface Deps {
  readonly catalog: Table
  readonly random: Pick<RandomPort, 'uuid'>
}

/**
 * Documents in the catalog, one partition per kind. Each write is one conditional request and
 * carries a token, by which its repetition is known. A removed document keeps its version, so that
 * none is used twice; a page of a list may therefore have fewer documents than there is room for.
 */
export function createDocuments({ catalog, random }: Deps): DocumentsPort {
  return {
    get: async key => {
      const item = await getItem(catalog, keys.document(key))
      return item === undefined ? undefined : documentIn(key, item)
    },
    put: async (key, value, expected) => {
      const token = random.uuid()
      const written = await updateItem(catalog, {
        key: keys.document(key),
        set: 'SET #value = :value, #token = :token, #removed = :no, #format = :format ADD #version :one',
        condition: both(
          isReadable,
          expected === 0
            ? 'attribute_not_exists(#pk) OR #removed = :yes'
            : '#version = :expected AND #removed = :no',
        ),
        values: {
          ...itemOf({ value: documentText(key, value), token, one: 1, expected }),
          ...itemOf({ yes: true, no: false }),
          ...formatOf('document'),
        },
      })
      if (written.isDone) return number(written.now, 'version')
      const { stands } = written
      if (stands === undefined) return false
      readableItem('document', { ...key }, stands)
      return text(stands, 'token') === token && number(stands, 'version')
    },
    remove: async (key, version) => {
      const written = await updateItem(catalog, {
        key: keys.document(key),
        set: 'SET #removed = :yes, #value = :null, #token = :empty',
        condition: both(both(isThere, isReadable), '#version = :version'),
        values: {
          ...itemOf({ version, yes: true, null: 'null', empty: '' }),
          ...formatOf('document'),
        },
      })
      if (written.isDone || written.stands === undefined) return true
      readableItem('document', { ...key }, written.stands)
      return flag(written.stands, 'removed')
    },
    list: async (kind, cursor, scope) => {
      const range = rangeOf(kind, cursor, scope)
      const limit = triggerLimits.documentsPerPage
      const items = range === undefined ? [] : await queryItems(catalog, { ...range, limit })
      const last = items[limit - 1]
      return { ...pageOf(kind, items), next: last === undefined ? undefined : text(last, 'sk') }
    },
  }
}

/** The items behind a cursor; undefined when there can be none. */
function rangeOf(
  kind: DocumentKind,
  cursor: string,
  scope: DocumentKey['scope'] | undefined,
): Omit<Range, 'limit'> | undefined {
  const { pk } = keys.document({ kind, scope: '*', name: '' })
  if (scope === undefined) return cursor === '' ? { pk } : { pk, after: cursor }
  // A name begins with a letter or digit: behind the cursor is what comes after it and a space.
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
    const [scope = '', name = ''] = text(item, 'sk').split(' ')
    const key: DocumentKey = { kind, scope: scope as DocumentKey['scope'], name }
    try {
      const document = documentIn(key, item)
      if (document !== undefined) documents.push(document)
    } catch (thrown) {
      unreadable.push({ key, why: thrown instanceof Error ? thrown : new Error(String(thrown)) })
    }
  }
  return { documents, unreadable }
}

/** A document that was read; undefined for one that was removed. */
function documentIn(key: DocumentKey, item: Item): StoredDocument | undefined {
  const about = { kind: 'document', keys: { ...key } } as const
  readableItem('document', about.keys, item)
  if (flag(item, 'removed')) return undefined
  const isAny = (value: unknown): value is unknown => value !== undefined
  return { key, version: number(item, 'version'), value: jsonIn(about, item, 'value', isAny) }
}
