import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import { journalKeys, parsePaddedNumber } from './record-keys.ts'
import { readText } from './table/item.ts'
import { createLruCache } from './lru-cache.ts'
import { recordAttributesOf } from './record-format.ts'
import { putItem, queryItems, type Table, hasItem } from './table/table.ts'

/**
 * The register of blocks. A block is a range of `operationsPerBlock` operation ids of a deployment.
 * Each operation has a separate partition, and DynamoDB has no query that lists partitions. Readers
 * find operations by the recorded blocks. The block of an operation is therefore recorded before
 * the first record of the operation is written.
 */
export interface OperationBlocks {
  /**
   * Records the block of an operation. The record is durable when the promise resolves. Sends no
   * request when this process has recorded or found the block before.
   */
  readonly register: (deployment: DeploymentId, operation: OperationId) => Promise<void>
}

/** Returns the operations of a block, in order. */
export function operationsOfBlock(block: number): readonly OperationId[] {
  const firstId = block * limits.operationsPerBlock
  return Array.from(
    { length: limits.operationsPerBlock },
    (_, offset) => (firstId + offset) as OperationId,
  )
}

/** Returns the numbers of a deployment's recorded blocks, ascending, beginning at `from`. */
export async function listBlocks(
  journalTable: Table,
  deployment: DeploymentId,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<readonly number[]> {
  const { pk, sk } = journalKeys.block(deployment, from)
  const items = await queryItems(journalTable, { pk, atLeast: sk, limit })
  return items.map(item => parsePaddedNumber(readText(item, 'sk')))
}

/**
 * Creates the register of blocks. A call reads the item of a block first, and writes it only if it
 * is absent. Many executors record the same block, and a read costs much less than a write.
 */
export function createOperationBlocks(journalTable: Table): OperationBlocks {
  const registrations = createLruCache<Promise<void>>()
  const recordBlock = async (deployment: DeploymentId, block: number): Promise<void> => {
    const key = journalKeys.block(deployment, block)
    if (await hasItem(journalTable, key)) return
    await putItem(journalTable, {
      key,
      item: recordAttributesOf('head', journalTable),
      ifAbsent: false,
    })
  }
  return {
    register: (deployment, operation) => {
      const block = Math.floor(operation / limits.operationsPerBlock)
      const cacheKey = `${deployment} ${block}`
      const earlierRegistration = registrations.get(cacheKey)
      if (earlierRegistration !== undefined) return earlierRegistration
      const registration = recordBlock(deployment, block)
      registrations.set(cacheKey, registration)
      registration.catch(() => registrations.forget(cacheKey))
      return registration
    },
  }
}
