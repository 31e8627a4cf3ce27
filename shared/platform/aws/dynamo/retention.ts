import { tableKeys } from '../../../config/aws-resource-names.ts'
import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { RecordedDeployment, RetentionPort } from '../../../ports/retention.ts'
import { isOpenDeployment } from '../../../ports/open-deployments.ts'
import type { RandomPort } from '../../../ports/system.ts'
import { type DeploymentId, deploymentPartsOf } from '../../../records/ids.ts'
import { deleteItems, deleteRange, getItems } from './table/batch-items.ts'
import { listBlocks, operationsOfBlock } from './operation-blocks.ts'
import { readFlag, type Item, type Key, keyOfItem, readNumber, readText } from './table/item.ts'
import { createLeftoverRemoval } from './leftover-removal.ts'
import { catalogKeys, journalKeys, parsePaddedNumber } from './record-keys.ts'
import { createReferenceListing } from './blob-references.ts'
import { parseHistoryItem, parseStackItem } from './stack-record.ts'
import { deleteItem, queryItems, type Table } from './table/table.ts'

/** Both tables. The catalog contains the facts that decide which journal records are removed. */
export interface RecordTables {
  readonly journalTable: Table
  readonly catalogTable: Table
}

/**
 * Creates the removal of records by key. The catalog lists the deployments and the journal lists
 * the blocks of their operations, so no table is scanned. A head is removed after its outcomes, and
 * the item of a block after the heads of the block.
 */
export function createRetention({
  journalTable,
  catalogTable,
  random,
}: RecordTables & { readonly random: Pick<RandomPort, 'uuid'> }): RetentionPort {
  return {
    listDeployments: async () => {
      const { pk } = catalogKeys.deploymentListEntry('')
      const items = await queryItems(catalogTable, { pk, limit: limits.listEntriesMax })
      const ids = items.map(item => readText(item, 'sk') as DeploymentId)
      return readRecordedDeployments({ journalTable, catalogTable }, ids)
    },
    removeRecords: async (deployment, recordsMax) => {
      const [existing] = await readRecordedDeployments({ journalTable, catalogTable }, [deployment])
      if (existing === undefined || existing.closed === false || existing.isOpen) return true
      let remaining = recordsMax
      for (const removeStage of createRemovalStages(journalTable, deployment)) {
        if (remaining <= 0) return false
        remaining -= await removeStage(remaining)
      }
      if (remaining <= 0) return false
      await deleteItem(journalTable, journalKeys.control(deployment))
      await deleteItem(catalogTable, catalogKeys.deploymentListEntry(deployment))
      return true
    },
    removeVersions: async (stack, throughVersion) => {
      const [stackItem] = await getItems(catalogTable, [catalogKeys.stack(stack)])
      if (stackItem === undefined) return
      const lastRemovable = Math.min(throughVersion, readNumber(stackItem, 'version') - 1)
      const { pk, sk: atMost } = catalogKeys.version(stack, Math.max(0, lastRemovable))
      await deleteRange(catalogTable, { pk, atMost })
    },
    removeLeftovers: createLeftoverRemoval({ journalTable, catalogTable, random }),
    listReferences: createReferenceListing({ journalTable, catalogTable }),
  }
}

/**
 * A function that removes items until it has removed `itemsMax` of them, or no more exist. The
 * items of the last operation may exceed `itemsMax`, and the excess is not counted. Returns the
 * number of removed items, at most `itemsMax`.
 */
type RemovalStage = (itemsMax: number) => Promise<number>

/**
 * Returns the stages of the removal of a deployment's records, in order. The caller removes the
 * control record after all stages.
 */
function createRemovalStages(
  journalTable: Table,
  deployment: DeploymentId,
): readonly RemovalStage[] {
  const createPartitionRemoval =
    ({ pk }: Key): RemovalStage =>
    async itemsMax => {
      const items = await queryItems(journalTable, {
        pk,
        limit: itemsMax,
        attributes: ['pk', 'sk'],
      })
      await deleteItems(journalTable, items.map(keyOfItem))
      return items.length
    }
  return [
    createFirstRecordRemoval(journalTable, deployment),
    createPartitionRemoval(journalKeys.log(deployment, 0)),
    createPartitionRemoval(journalKeys.chunk(deployment, 0)),
    createPartitionRemoval(journalKeys.writer(deployment, '')),
    createPartitionRemoval(journalKeys.usage(deployment, '')),
    itemsMax => removeOperations(journalTable, deployment, itemsMax),
    createPartitionRemoval(journalKeys.lease(deployment, '')),
  ]
}

/**
 * Creates the removal of the first log record. Readers recognize a removal by the absence of this
 * record. The other log records are removed in any order.
 */
function createFirstRecordRemoval(journalTable: Table, deployment: DeploymentId): RemovalStage {
  return async () => {
    const { pk } = journalKeys.log(deployment, 0)
    const [firstItem] = await queryItems(journalTable, { pk, limit: 1, attributes: ['pk', 'sk'] })
    if (firstItem === undefined || parsePaddedNumber(readText(firstItem, 'sk')) > 0) return 0
    await deleteItem(journalTable, keyOfItem(firstItem))
    return 1
  }
}

/** Removes operations block by block. The item of a block is removed after its last head. */
async function removeOperations(
  journalTable: Table,
  deployment: DeploymentId,
  itemsMax: number,
): Promise<number> {
  let remaining = itemsMax
  for (;;) {
    const [block] = await listBlocks(journalTable, deployment, { from: 0, limit: 1 })
    if (block === undefined) return itemsMax - remaining
    const heads = await listBlockHeads(journalTable, deployment, block)
    for (const { operation, attemptCount } of heads) {
      if (remaining <= 0) return itemsMax
      const outcomeKeys = Array.from({ length: attemptCount }, (_, index) =>
        journalKeys.outcome(deployment, operation, index + 1),
      )
      await deleteItems(journalTable, outcomeKeys)
      await deleteItem(journalTable, journalKeys.head(deployment, operation))
      remaining -= 1 + attemptCount
    }
    if (remaining <= 0) return itemsMax
    await deleteItem(journalTable, journalKeys.block(deployment, block))
    remaining -= 1
  }
}

/** Returns the existing heads of a block, with their numbers of attempts. */
async function listBlockHeads(
  journalTable: Table,
  deployment: DeploymentId,
  block: number,
): Promise<readonly { readonly operation: number; readonly attemptCount: number }[]> {
  const operationsByKey = new Map(
    operationsOfBlock(block).map(id => [journalKeys.head(deployment, id).pk, id] as const),
  )
  const headKeys = [...operationsByKey.keys()].map(pk => ({ pk, sk: 'head' }))
  const items = await getItems(journalTable, headKeys, ['pk', 'attempt', tableKeys.expires])
  return items.map(item => ({
    operation: operationsByKey.get(readText(item, 'pk')) ?? 0,
    attemptCount: readNumber(item, 'attempt'),
  }))
}

async function readRecordedDeployments(
  { journalTable, catalogTable }: RecordTables,
  ids: readonly DeploymentId[],
): Promise<readonly RecordedDeployment[]> {
  const deploymentParts = ids.map(deployment => ({ deployment, ...deploymentPartsOf(deployment) }))
  const stackIds = new Set(deploymentParts.map(({ stack }) => stack))
  const [controls, catalogItems] = await Promise.all([
    getItems(
      journalTable,
      ids.map(id => journalKeys.control(id)),
    ),
    getItems(catalogTable, [
      ...[...stackIds].map(stack => catalogKeys.stack(stack)),
      ...deploymentParts.map(({ stack, number }) => catalogKeys.history(stack, number)),
    ]),
  ])
  const itemsByKey = new Map(
    [...controls, ...catalogItems].map(item => [keyTextOf(keyOfItem(item)), item]),
  )
  const findItem = (key: Key): Item | undefined => itemsByKey.get(keyTextOf(key))
  return deploymentParts.map(({ deployment, stack, number }) => {
    const control = findItem(journalKeys.control(deployment))
    const stackItem = findItem(catalogKeys.stack(stack))
    const historyItem = findItem(catalogKeys.history(stack, number))
    const endedAt =
      historyItem === undefined ? undefined : parseHistoryItem(stack, historyItem).endedAt
    return {
      deployment,
      closed: control === undefined ? undefined : readFlag(control, 'closed'),
      isOpen:
        stackItem !== undefined &&
        !readFlag(stackItem, 'removed') &&
        isOpenDeployment(parseStackItem(stack, stackItem), deployment),
      isInHistory: historyItem !== undefined,
      ...(endedAt === undefined ? {} : { endedAt }),
    }
  })
}

/** Returns the text of a key, because a `Map` compares objects by identity. */
const keyTextOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`
