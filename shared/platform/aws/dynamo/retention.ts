import { tableKeys } from '../../../config/aws-resource-names.ts'
import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { KeptDeployment, RetentionPort } from '../../../ports/retention.ts'
import { type DeploymentId, deploymentPartsOf } from '../../../records/ids.ts'
import { deleteItems, deleteRange, getItems } from './table/batch-items.ts'
import { listBlocks, operationsOfBlock } from './operation-blocks.ts'
import { readFlag, type Item, type Key, keyOfItem, readNumber, readText } from './table/item.ts'
import { catalogKeys, journalKeys, parsePaddedNumber } from './record-keys.ts'
import { createReferences } from './blob-references.ts'
import { parseHistoryItem } from './stack-record.ts'
import { deleteItem, queryItems, type Table } from './table/table.ts'

/** Both tables. The catalog determines whether records may be removed. */
export interface RecordTables {
  readonly journalTable: Table
  readonly catalogTable: Table
}

/**
 * Creates the removal of records by key. The catalog lists the deployments and the journal lists
 * the blocks of their operations, so no table is scanned. A head is removed after its outcomes, and
 * an index item after its records.
 */
export function createRetention({ journalTable, catalogTable }: RecordTables): RetentionPort {
  return {
    listDeployments: async () => {
      const { pk } = catalogKeys.kept('')
      const items = await queryItems(catalogTable, { pk, limit: limits.listedMax })
      const ids = items.map(item => readText(item, 'sk') as DeploymentId)
      return readKeptDeployments({ journalTable, catalogTable }, ids)
    },
    removeRecords: async (deployment, rows) => {
      const [kept] = await readKeptDeployments({ journalTable, catalogTable }, [deployment])
      if (kept === undefined || kept.closed === false || kept.isCurrent) return true
      let left = rows
      for (const removeSome of createRemovalStages(journalTable, deployment)) {
        if (left <= 0) return false
        left -= await removeSome(left)
      }
      if (left <= 0) return false
      await deleteItem(journalTable, journalKeys.control(deployment))
      await deleteItem(catalogTable, catalogKeys.kept(deployment))
      return true
    },
    removeVersions: async (stack, through) => {
      const [current] = await getItems(catalogTable, [catalogKeys.stack(stack)])
      if (current === undefined) return
      const last = Math.min(through, readNumber(current, 'version') - 1)
      const { pk, sk: atMost } = catalogKeys.version(stack, Math.max(0, last))
      await deleteRange(catalogTable, { pk, atMost })
    },
    listReferences: createReferences({ journalTable, catalogTable }),
  }
}

/** Removes at most `rows` items, and returns the number of removed items. */
type RemoveSome = (rows: number) => Promise<number>

/**
 * Returns the removals of a deployment's records, in order. The control record is removed after all
 * of them.
 */
function createRemovalStages(journalTable: Table, deployment: DeploymentId): readonly RemoveSome[] {
  const createPartitionRemoval =
    ({ pk }: Key): RemoveSome =>
    async rows => {
      const items = await queryItems(journalTable, { pk, limit: rows, only: ['pk', 'sk'] })
      await deleteItems(journalTable, items.map(keyOfItem))
      return items.length
    }
  return [
    createFirstRecordRemoval(journalTable, deployment),
    createPartitionRemoval(journalKeys.log(deployment, 0)),
    createPartitionRemoval(journalKeys.chunk(deployment, 0)),
    createPartitionRemoval(journalKeys.writer(deployment, '')),
    rows => removeOperations(journalTable, deployment, rows),
    createPartitionRemoval(journalKeys.lease(deployment, '')),
  ]
}

/**
 * Removes the first log record, by whose absence readers recognize the removal. The other records
 * are removed in any order.
 */
function createFirstRecordRemoval(journalTable: Table, deployment: DeploymentId): RemoveSome {
  return async () => {
    const { pk } = journalKeys.log(deployment, 0)
    const [first] = await queryItems(journalTable, { pk, limit: 1, only: ['pk', 'sk'] })
    if (first === undefined || parsePaddedNumber(readText(first, 'sk')) > 0) return 0
    await deleteItem(journalTable, keyOfItem(first))
    return 1
  }
}

/** Removes operations block by block. The item of a block is removed after its last head. */
async function removeOperations(
  journalTable: Table,
  deployment: DeploymentId,
  rows: number,
): Promise<number> {
  let left = rows
  for (;;) {
    const [block] = await listBlocks(journalTable, deployment, { from: 0, limit: 1 })
    if (block === undefined) return rows - left
    const heads = await readHeads(journalTable, deployment, block)
    for (const { operation, attempts } of heads) {
      if (left <= 0) return rows
      const outcomes = Array.from({ length: attempts }, (_, at) =>
        journalKeys.outcome(deployment, operation, at + 1),
      )
      await deleteItems(journalTable, outcomes)
      await deleteItem(journalTable, journalKeys.head(deployment, operation))
      left -= 1 + attempts
    }
    if (left <= 0) return rows
    await deleteItem(journalTable, journalKeys.block(deployment, block))
    left -= 1
  }
}

/** Returns the existing heads of a block, with their numbers of attempts. */
async function readHeads(
  journalTable: Table,
  deployment: DeploymentId,
  block: number,
): Promise<readonly { readonly operation: number; readonly attempts: number }[]> {
  const byKey = new Map(
    operationsOfBlock(block).map(id => [journalKeys.head(deployment, id).pk, id] as const),
  )
  const keys = [...byKey.keys()].map(pk => ({ pk, sk: 'head' }))
  const items = await getItems(journalTable, keys, ['pk', 'attempt', tableKeys.expires])
  return items.map(item => ({
    operation: byKey.get(readText(item, 'pk')) ?? 0,
    attempts: readNumber(item, 'attempt'),
  }))
}

async function readKeptDeployments(
  { journalTable, catalogTable }: RecordTables,
  ids: readonly DeploymentId[],
): Promise<readonly KeptDeployment[]> {
  const places = ids.map(deployment => ({ deployment, ...deploymentPartsOf(deployment) }))
  const stackKeys = new Set(places.map(({ stack }) => stack))
  const [controls, owners] = await Promise.all([
    getItems(
      journalTable,
      ids.map(id => journalKeys.control(id)),
    ),
    getItems(catalogTable, [
      ...[...stackKeys].map(stack => catalogKeys.stack(stack)),
      ...places.map(({ stack, number }) => catalogKeys.history(stack, number)),
    ]),
  ])
  const byKey = new Map([...controls, ...owners].map(item => [keyTextOf(keyOfItem(item)), item]))
  const itemAt = (key: Key): Item | undefined => byKey.get(keyTextOf(key))
  return places.map(({ deployment, stack, number }) => {
    const control = itemAt(journalKeys.control(deployment))
    const owner = itemAt(catalogKeys.stack(stack))
    const line = itemAt(catalogKeys.history(stack, number))
    const endedAt = line === undefined ? undefined : parseHistoryItem(stack, line).endedAt
    return {
      deployment,
      closed: control === undefined ? undefined : readFlag(control, 'closed'),
      isCurrent:
        owner !== undefined &&
        !readFlag(owner, 'removed') &&
        readText(owner, 'current') === deployment,
      isInHistory: line !== undefined,
      ...(endedAt === undefined ? {} : { endedAt }),
    }
  })
}

const keyTextOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`
