import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import { journalKeys, numberIn } from './keys.ts'
import { text } from './item.ts'
import { createRemembered } from './remembered.ts'
import { formOf } from './stored.ts'
import { putItem, queryItems, type Table, wasThere } from './table.ts'

/**
 * Where the operations of a deployment are. Each has a partition of its own, which no query finds;
 * so before the first record of an operation is written, its block of numbers is noted.
 */
export interface Blocks {
  /** Durable when it returns; costs nothing once this process knows it. */
  readonly note: (deployment: DeploymentId, operation: OperationId) => Promise<void>
}

/** The first number of a block, and those after it. */
export function operationsOf(block: number): readonly OperationId[] {
  const first = block * limits.blockOperations
  return Array.from({ length: limits.blockOperations }, (_, at) => (first + at) as OperationId)
}

/** The blocks of a deployment that may have records, from `from` on. */
export async function blocksOf(
  journal: Table,
  deployment: DeploymentId,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<readonly number[]> {
  const { pk, sk } = journalKeys.block(deployment, from)
  const items = await queryItems(journal, { pk, atLeast: sk, limit })
  return items.map(item => numberIn(text(item, 'sk')))
}

/** Notes blocks; many executors ask for each, and a read costs a fifth of a write. */
export function createBlocks(journal: Table): Blocks {
  const known = createRemembered<Promise<void>>()
  const note = async (deployment: DeploymentId, block: number): Promise<void> => {
    const key = journalKeys.block(deployment, block)
    if (await wasThere(journal, key)) return
    await putItem(journal, { key, item: formOf('head', journal), ifAbsent: false })
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
