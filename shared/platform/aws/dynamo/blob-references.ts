import type { DocumentKind } from '../../../ports/documents.ts'
import type { RetentionPort } from '../../../ports/retention.ts'
import type { DeploymentId, StackId } from '../../../records/ids.ts'
import { findBlobHashes } from '../../records/blob-hashes.ts'
import { getItems } from './table/batch-items.ts'
import { listBlocks, operationsOfBlock } from './operation-blocks.ts'
import { type Item, readNumber, readText } from './table/item.ts'
import { catalogKeys, journalKeys } from './record-keys.ts'
import { getItem, queryItems, type Table } from './table/table.ts'

/**
 * The position of a page in the listing. The listing goes through the stacks with their versions
 * and inboxes, the requests of stacks, the documents, and the deployments with log and operations.
 * `stack`, `requesting-stack` and `deployment`: the search for the next stack, the next stack with
 * requests, and the next deployment. `late`: the inbox of a stack. `after`: the last stack or
 * deployment that was listed. `from`: the sort key of the last listed record, or the number of the
 * first block of operations that is not listed yet (`OperationBlocks`).
 */
type ListingPosition =
  | { readonly at: 'stack'; readonly after: string }
  | { readonly at: 'versions'; readonly stack: StackId; readonly from: string }
  | { readonly at: 'late'; readonly stack: StackId; readonly from: string }
  | { readonly at: 'requesting-stack'; readonly after: string }
  | { readonly at: 'requests'; readonly stack: StackId; readonly from: string }
  | { readonly at: 'documents'; readonly kindIndex: number; readonly from: string }
  | { readonly at: 'deployment'; readonly after: string }
  | { readonly at: 'log'; readonly deployment: DeploymentId; readonly from: string }
  | { readonly at: 'operations'; readonly deployment: DeploymentId; readonly from: number }

/** Both tables, because records of either may reference blobs. */
interface Tables {
  readonly journalTable: Table
  readonly catalogTable: Table
}

interface RecordPage {
  readonly items: readonly Item[]
  readonly next: ListingPosition | undefined
}

/** Maximum number of records that a page reads from one partition. */
const recordsPerPage = 100

/** The kinds of documents that reference no blobs. Compaction has no permission to read them. */
type PrivateKind =
  | 'federation'
  | 'token'
  | 'plugin-source'
  | 'package-registry'
  | 'client-update'
  | 'stack-settings'
  | 'delivery-history'
  | 'call-limit'

/** The kinds of documents that may reference blobs. Compaction reads them and lists the blobs. */
const documentKinds = Object.keys({
  webhook: true,
  schedule: true,
  notification: true,
} satisfies Record<Exclude<DocumentKind, PrivateKind>, true>) as DocumentKind[]

/**
 * Creates the listing of every hash in the records that can reference blobs. A page has one stack,
 * up to a hundred records of one partition, or the outcomes of a block of operations. The listing
 * searches all texts of an item, so that no field is missed.
 */
export function createReferenceListing(tables: Tables): RetentionPort['listReferences'] {
  return async cursor => {
    const position: ListingPosition =
      cursor === '' ? { at: 'stack', after: '' } : (JSON.parse(cursor) as ListingPosition)
    const page = await readPage(position, tables)
    const texts = page.items.flatMap(item => Object.values(item).map(({ S = '' }) => S))
    const hashes = texts.flatMap(findBlobHashes)
    const next = page.next === undefined ? undefined : JSON.stringify(page.next)
    return { hashes: [...new Set(hashes)], next }
  }
}

function readPage(
  position: ListingPosition,
  { journalTable, catalogTable }: Tables,
): Promise<RecordPage> {
  if (position.at === 'stack') return readStackPage(catalogTable, position.after)
  if (position.at === 'versions') return readVersionsPage(catalogTable, position)
  if (position.at === 'late') return readLateOutcomesPage(journalTable, position)
  if (position.at === 'requesting-stack')
    return readStackWithRequestsPage(catalogTable, position.after)
  if (position.at === 'requests') return readRequestsPage(catalogTable, position)
  if (position.at === 'documents') return readDocumentsPage(catalogTable, position)
  if (position.at === 'deployment') return readDeploymentPage(catalogTable, position.after)
  if (position.at === 'log') return readLogPage(journalTable, position)
  return readOperationsPage(journalTable, position)
}

async function readStackPage(catalogTable: Table, after: string): Promise<RecordPage> {
  const id = await findNextName(catalogTable, catalogKeys.stackListEntry('').pk, after)
  if (id === undefined) return { items: [], next: { at: 'requesting-stack', after: '' } }
  const stack = id as StackId
  const record = await getItem(catalogTable, catalogKeys.stack(stack))
  const items = record === undefined ? [] : [record]
  return { items, next: { at: 'versions', stack, from: '' } }
}

async function readVersionsPage(
  catalogTable: Table,
  { stack, from }: Extract<ListingPosition, { at: 'versions' }>,
): Promise<RecordPage> {
  const { pk } = catalogKeys.version(stack, 0)
  const { items, lastKey } = await readRecordsAfter(catalogTable, pk, from)
  if (lastKey === undefined) return { items, next: { at: 'late', stack, from: '' } }
  return { items, next: { at: 'versions', stack, from: lastKey } }
}

async function readLateOutcomesPage(
  journalTable: Table,
  { stack, from }: Extract<ListingPosition, { at: 'late' }>,
): Promise<RecordPage> {
  const { pk } = journalKeys.late(stack, '')
  const { items, lastKey } = await readRecordsAfter(journalTable, pk, from)
  if (lastKey === undefined) return { items, next: { at: 'stack', after: stack } }
  return { items, next: { at: 'late', stack, from: lastKey } }
}

async function readStackWithRequestsPage(catalogTable: Table, after: string): Promise<RecordPage> {
  const id = await findNextName(catalogTable, catalogKeys.stackWithRequestsEntry('').pk, after)
  if (id === undefined) return { items: [], next: { at: 'documents', kindIndex: 0, from: '' } }
  return { items: [], next: { at: 'requests', stack: id as StackId, from: '' } }
}

async function readRequestsPage(
  catalogTable: Table,
  { stack, from }: Extract<ListingPosition, { at: 'requests' }>,
): Promise<RecordPage> {
  const { pk } = catalogKeys.requestCounter(stack)
  const { items, lastKey } = await readRecordsAfter(catalogTable, pk, from)
  if (lastKey !== undefined) return { items, next: { at: 'requests', stack, from: lastKey } }
  const program = await getItem(catalogTable, catalogKeys.program(stack))
  const lastItems = program === undefined ? items : [...items, program]
  return { items: lastItems, next: { at: 'requesting-stack', after: stack } }
}

async function readDocumentsPage(
  catalogTable: Table,
  { kindIndex, from }: Extract<ListingPosition, { at: 'documents' }>,
): Promise<RecordPage> {
  const kind = documentKinds[kindIndex]
  if (kind === undefined) return { items: [], next: { at: 'deployment', after: '' } }
  const { pk } = catalogKeys.document({ kind, scope: '*', name: '' })
  const { items, lastKey } = await readRecordsAfter(catalogTable, pk, from)
  if (lastKey === undefined)
    return { items, next: { at: 'documents', kindIndex: kindIndex + 1, from: '' } }
  return { items, next: { at: 'documents', kindIndex, from: lastKey } }
}

/**
 * Returns up to a hundred records of a partition, and the key of the last one if more may follow.
 */
async function readRecordsAfter(
  table: Table,
  pk: string,
  afterKey: string,
): Promise<{ readonly items: readonly Item[]; readonly lastKey: string | undefined }> {
  const lowerBound = afterKey === '' ? {} : { after: afterKey }
  const items = await queryItems(table, { pk, ...lowerBound, limit: recordsPerPage })
  const lastItem = items[recordsPerPage - 1]
  return { items, lastKey: lastItem === undefined ? undefined : readText(lastItem, 'sk') }
}

async function readDeploymentPage(catalogTable: Table, after: string): Promise<RecordPage> {
  const id = await findNextName(catalogTable, catalogKeys.deploymentListEntry('').pk, after)
  if (id === undefined) return { items: [], next: undefined }
  return { items: [], next: { at: 'log', deployment: id as DeploymentId, from: '' } }
}

async function readLogPage(
  journalTable: Table,
  { deployment, from }: Extract<ListingPosition, { at: 'log' }>,
): Promise<RecordPage> {
  const { pk } = journalKeys.log(deployment, 0)
  const { items, lastKey } = await readRecordsAfter(journalTable, pk, from)
  if (lastKey === undefined) return { items, next: { at: 'operations', deployment, from: 0 } }
  return { items, next: { at: 'log', deployment, from: lastKey } }
}

async function readOperationsPage(
  journalTable: Table,
  { deployment, from }: Extract<ListingPosition, { at: 'operations' }>,
): Promise<RecordPage> {
  const [block] = await listBlocks(journalTable, deployment, { from, limit: 1 })
  if (block === undefined) return { items: [], next: { at: 'deployment', after: deployment } }
  const heads = await getItems(
    journalTable,
    operationsOfBlock(block).map(id => journalKeys.head(deployment, id)),
  )
  const outcomeKeys = heads.flatMap(head =>
    Array.from({ length: readNumber(head, 'attempt') }, (_, index) => ({
      // The sort key depends on the attempt only. The partition is that of the operation's head.
      ...journalKeys.outcome(deployment, 0, index + 1),
      pk: readText(head, 'pk'),
    })),
  )
  const items = await getItems(journalTable, outcomeKeys)
  return { items, next: { at: 'operations', deployment, from: block + 1 } }
}

/** Returns the next name after `after` in a list of names. Returns undefined at its end. */
async function findNextName(table: Table, pk: string, after: string): Promise<string | undefined> {
  const lowerBound = after === '' ? {} : { after }
  const [next] = await queryItems(table, { pk, ...lowerBound, limit: 1 })
  return next === undefined ? undefined : readText(next, 'sk')
}
