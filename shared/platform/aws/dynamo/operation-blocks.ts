import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import { journalKeys, parsePaddedNumber } from './record-keys.ts'
import { readText } from './table/item.ts'
import { createLruCache } from './lru-cache.ts'
import { recordAttributesOf } from './record-format.ts'
import { putItem, queryItems, type Table, hasItem } from './table/table.ts'

/**
 * The register of a deployment's operations. Each operation has its own partition, which no query
 * finds. Its block of numbers is therefore recorded before the first record of the operation is
 * written.
 */
export interface Blocks {
  /** Durable when it resolves. Sends no request when this process already knows the block. */
  readonly note: (deployment: DeploymentId, operation: OperationId) => Promise<void>
}

/** Returns the operations of a block, in order. */
export function operationsOfBlock(block: number): readonly OperationId[] {
  const first = block * limits.blockOperations
  return Array.from({ length: limits.blockOperations }, (_, at) => (first + at) as OperationId)
}

/** Returns the blocks of a deployment that may have records, beginning at `from`. */
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
 * Creates the register of blocks. Many executors record the same block, and a read costs a fifth of
 * a write.
 */
export function createBlocks(journalTable: Table): Blocks {
  const known = createLruCache<Promise<void>>()
  const note = async (deployment: DeploymentId, block: number): Promise<void> => {
    const key = journalKeys.block(deployment, block)
    if (await hasItem(journalTable, key)) return
    await putItem(journalTable, {
      key,
      item: recordAttributesOf('head', journalTable),
      ifAbsent: false,
    })
  }
  return {
    note: (deployment, operation) => {
      const block = Math.floor(operation / limits.blockOperations)
      const name = `${deployment} ${block}`
      const noted = known.get(name)
      if (noted !== undefined) return noted
      const noting = note(deployment, block)
      known.set(name, noting)
      noting.catch(() => known.forget(name))
      return noting
    },
  }
}
