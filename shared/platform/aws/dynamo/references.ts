import type { DocumentKind } from '../../../ports/documents.ts'
import type { RetentionPort } from '../../../ports/retention.ts'
import type { BlobHash, DeploymentId, StackId } from '../../../records/ids.ts'
import { getItems } from './batches.ts'
import { blocksOf, operationsOf } from './blocks.ts'
import { type Item, number, text } from './item.ts'
import { catalogKeys, journalKeys } from './keys.ts'
import { getItem, queryItems, type Table } from './table.ts'

/**
 * Where a walk over all records is: the stacks first, then what was asked for, documents, and log
 * and operations of deployments.
 */
type Place =
  | { readonly at: 'stack'; readonly after: string }
  | { readonly at: 'versions'; readonly stack: StackId; readonly from: string }
  | { readonly at: 'late'; readonly stack: StackId; readonly from: string }
  | { readonly at: 'asking'; readonly after: string }
  | { readonly at: 'requests'; readonly stack: StackId; readonly from: string }
  | { readonly at: 'documents'; readonly kind: number; readonly from: string }
  | { readonly at: 'deployment'; readonly after: string }
  | { readonly at: 'log'; readonly deployment: DeploymentId; readonly from: string }
  | { readonly at: 'operations'; readonly deployment: DeploymentId; readonly from: number }

/** Both tables: what names a blob is in either. */
interface Tables {
  readonly journal: Table
  readonly catalog: Table
}

interface Page {
  readonly items: readonly Item[]
  readonly next: Place | undefined
}

/** Records of one partition that one page looks at. */
const recordsPerPage = 100

const kinds = Object.keys({
  webhook: true,
  schedule: true,
  notification: true,
  token: true,
} satisfies Record<DocumentKind, true>) as DocumentKind[]

/**
 * Every hash that any record names: to a page one stack, a hundred records of one partition, or a
 * block of operations. Every text of an item is looked through, so that no field can be forgotten.
 */
export function createReferences(tables: Tables): RetentionPort['references'] {
  return async cursor => {
    const place: Place = cursor === '' ? { at: 'stack', after: '' } : (JSON.parse(cursor) as Place)
    const page = await pageAt(place, tables)
    const found = page.items.flatMap(hashesIn)
    const next = page.next === undefined ? undefined : JSON.stringify(page.next)
    return { hashes: [...new Set(found)], next }
  }
}

function pageAt(place: Place, { journal, catalog }: Tables): Promise<Page> {
  if (place.at === 'stack') return stackPage(catalog, place.after)
  if (place.at === 'versions') return versionsPage(catalog, place)
  if (place.at === 'late') return latePage(journal, place)
  if (place.at === 'asking') return askingPage(catalog, place.after)
  if (place.at === 'requests') return requestsPage(catalog, place)
  if (place.at === 'documents') return documentsPage(catalog, place)
  if (place.at === 'deployment') return deploymentPage(catalog, place.after)
  if (place.at === 'log') return logPage(journal, place)
  return operationsPage(journal, place)
}

async function stackPage(catalog: Table, after: string): Promise<Page> {
  const id = await nextIn(catalog, catalogKeys.listed('').pk, after)
  if (id === undefined) return { items: [], next: { at: 'asking', after: '' } }
  const stack = id as StackId
  const record = await getItem(catalog, catalogKeys.stack(stack))
  const items = record === undefined ? [] : [record]
  return { items, next: { at: 'versions', stack, from: '' } }
}

async function versionsPage(
  catalog: Table,
  { stack, from }: Extract<Place, { at: 'versions' }>,
): Promise<Page> {
  const { pk } = catalogKeys.version(stack, 0)
  const { items, last } = await recordsAfter(catalog, pk, from)
  if (last === undefined) return { items, next: { at: 'late', stack, from: '' } }
  return { items, next: { at: 'versions', stack, from: last } }
}

async function latePage(
  journal: Table,
  { stack, from }: Extract<Place, { at: 'late' }>,
): Promise<Page> {
  const { pk } = journalKeys.late(stack, '')
  const { items, last } = await recordsAfter(journal, pk, from)
  if (last === undefined) return { items, next: { at: 'stack', after: stack } }
  return { items, next: { at: 'late', stack, from: last } }
}

async function askingPage(catalog: Table, after: string): Promise<Page> {
  const id = await nextIn(catalog, catalogKeys.asking('').pk, after)
  if (id === undefined) return { items: [], next: { at: 'documents', kind: 0, from: '' } }
  return { items: [], next: { at: 'requests', stack: id as StackId, from: '' } }
}

async function requestsPage(
  catalog: Table,
  { stack, from }: Extract<Place, { at: 'requests' }>,
): Promise<Page> {
  const { pk } = catalogKeys.lastRequest(stack)
  const { items, last } = await recordsAfter(catalog, pk, from)
  if (last === undefined) return { items, next: { at: 'asking', after: stack } }
  return { items, next: { at: 'requests', stack, from: last } }
}

async function documentsPage(
  catalog: Table,
  { kind: at, from }: Extract<Place, { at: 'documents' }>,
): Promise<Page> {
  const kind = kinds[at]
  if (kind === undefined) return { items: [], next: { at: 'deployment', after: '' } }
  const { pk } = catalogKeys.document({ kind, scope: '*', name: '' })
  const { items, last } = await recordsAfter(catalog, pk, from)
  if (last === undefined) return { items, next: { at: 'documents', kind: at + 1, from: '' } }
  return { items, next: { at: 'documents', kind: at, from: last } }
}

/** A hundred records of a partition, and the key of the last one when there may be more. */
async function recordsAfter(
  table: Table,
  pk: string,
  from: string,
): Promise<{ readonly items: readonly Item[]; readonly last: string | undefined }> {
  const behind = from === '' ? {} : { after: from }
  const items = await queryItems(table, { pk, ...behind, limit: recordsPerPage })
  const last = items[recordsPerPage - 1]
  return { items, last: last === undefined ? undefined : text(last, 'sk') }
}

async function deploymentPage(catalog: Table, after: string): Promise<Page> {
  const id = await nextIn(catalog, catalogKeys.kept('').pk, after)
  if (id === undefined) return { items: [], next: undefined }
  return { items: [], next: { at: 'log', deployment: id as DeploymentId, from: '' } }
}

async function logPage(
  journal: Table,
  { deployment, from }: Extract<Place, { at: 'log' }>,
): Promise<Page> {
  const { pk } = journalKeys.log(deployment, 0)
  const { items, last } = await recordsAfter(journal, pk, from)
  if (last === undefined) return { items, next: { at: 'operations', deployment, from: 0 } }
  return { items, next: { at: 'log', deployment, from: last } }
}

async function operationsPage(
  journal: Table,
  { deployment, from }: Extract<Place, { at: 'operations' }>,
): Promise<Page> {
  const [block] = await blocksOf(journal, deployment, { from, limit: 1 })
  if (block === undefined) return { items: [], next: { at: 'deployment', after: deployment } }
  const heads = await getItems(
    journal,
    operationsOf(block).map(id => journalKeys.head(deployment, id)),
  )
  const outcomes = heads.flatMap(head =>
    Array.from({ length: number(head, 'attempt') }, (_, at) => ({
      ...journalKeys.outcome(deployment, 0, at + 1),
      pk: text(head, 'pk'),
    })),
  )
  const items = await getItems(journal, outcomes)
  return { items, next: { at: 'operations', deployment, from: block + 1 } }
}

/** The name behind `after` in a list of names. */
async function nextIn(table: Table, pk: string, after: string): Promise<string | undefined> {
  const behind = after === '' ? {} : { after }
  const [next] = await queryItems(table, { pk, ...behind, limit: 1 })
  return next === undefined ? undefined : text(next, 'sk')
}

function hashesIn(item: Item): readonly BlobHash[] {
  return Object.values(item).flatMap(
    ({ S }) => (S?.match(/\b[0-9a-f]{64}\b/g) ?? []) as readonly BlobHash[],
  )
}
