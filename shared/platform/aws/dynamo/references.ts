import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { RetentionPort } from '../../../ports/retention.ts'
import type { BlobHash, DeploymentId, StackId } from '../../../records/ids.ts'
import { getItems } from './batches.ts'
import { blocksOf, operationsOf } from './blocks.ts'
import { type Item, number, text } from './item.ts'
import { catalogKeys, journalKeys } from './keys.ts'
import { getItem, queryItems, type Table } from './table.ts'

/** Where a walk over all records is: the stacks first, then log and operations of deployments. */
type Place =
  | { readonly at: 'stack'; readonly after: string }
  | { readonly at: 'deployment'; readonly after: string }
  | { readonly at: 'log'; readonly deployment: DeploymentId; readonly from: string }
  | { readonly at: 'operations'; readonly deployment: DeploymentId; readonly from: number }

interface Page {
  readonly items: readonly Item[]
  readonly next: Place | undefined
}

/** Records of a log that one page looks at. */
const recordsPerPage = 100

/**
 * Every hash that any record names, one stack, a hundred records of a log, or a block of operations
 * to a page. Every text of an item is looked through, so that no field can be forgotten here.
 */
export function createReferences(tables: {
  readonly journal: Table
  readonly catalog: Table
}): RetentionPort['references'] {
  const { journal, catalog } = tables
  return async cursor => {
    const place: Place = cursor === '' ? { at: 'stack', after: '' } : (JSON.parse(cursor) as Place)
    const page = await pageAt(place, journal, catalog)
    const found = page.items.flatMap(hashesIn)
    const next = page.next === undefined ? undefined : JSON.stringify(page.next)
    return { hashes: [...new Set(found)], next }
  }
}

function pageAt(place: Place, journal: Table, catalog: Table): Promise<Page> {
  if (place.at === 'stack') return stackPage(catalog, place.after)
  if (place.at === 'deployment') return deploymentPage(catalog, place.after)
  if (place.at === 'log') return logPage(journal, place)
  return operationsPage(journal, place)
}

async function stackPage(catalog: Table, after: string): Promise<Page> {
  const id = await nextIn(catalog, catalogKeys.listed('').pk, after)
  if (id === undefined) return { items: [], next: { at: 'deployment', after: '' } }
  const stack = id as StackId
  const record = await getItem(catalog, catalogKeys.stack(stack))
  const partitions = [catalogKeys.version(stack, 0), catalogKeys.late(stack, '')]
  const lists = await Promise.all(
    partitions.map(({ pk }) => queryItems(catalog, { pk, limit: limits.listedMax })),
  )
  const items = [...(record === undefined ? [] : [record]), ...lists.flat()]
  return { items, next: { at: 'stack', after: id } }
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
  const items = await queryItems(journal, { pk, after: from, limit: recordsPerPage })
  const last = items[recordsPerPage - 1]
  if (last === undefined) return { items, next: { at: 'operations', deployment, from: 0 } }
  return { items, next: { at: 'log', deployment, from: text(last, 'sk') } }
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
  const [next] = await queryItems(table, { pk, after, limit: 1 })
  return next === undefined ? undefined : text(next, 'sk')
}

function hashesIn(item: Item): readonly BlobHash[] {
  return Object.values(item).flatMap(
    ({ S }) => (S?.match(/\b[0-9a-f]{64}\b/g) ?? []) as readonly BlobHash[],
  )
}
