import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { StackId } from '../../../records/ids.ts'
import { splitBySize } from '../split-by-size.ts'
import type { CatalogDeps } from './stack-races.ts'
import { catalogKeys as keys } from './record-keys.ts'
import { type Item, type Key, keyOfItem, toItem } from './table/item.ts'
import { itemBytesOf } from './table/item-size.ts'
import { queryItems, type Table } from './table/table.ts'
import { transact, type TransactionPart } from './table/transaction.ts'

/**
 * An id without a stack. `token`: the token in the item of the id. Each rename and each creation
 * that takes the id replaces this token.
 */
export interface UnusedId {
  readonly id: StackId
  readonly token: string
}

/**
 * Writes records of an unused id, in transactions. Each transaction requires that the id is still
 * unused and has the same token. A process that was overtaken by another one therefore changes no
 * record of the other. Returns false if the id was taken; the previous transactions remain.
 */
export async function writeUnusedId(
  { catalogTable, random }: CatalogDeps,
  { id, token }: UnusedId,
  parts: readonly TransactionPart[],
): Promise<boolean> {
  const unchanged = {
    kind: 'change',
    change: {
      key: keys.stack(id),
      updateExpression: 'SET #token = :token',
      condition: '#removed = :yes AND #token = :token',
      values: toItem({ yes: true, token }),
    },
  } as const
  for (const page of splitIntoTransactions(parts)) {
    const { isDone } = await transact(catalogTable, random, [unchanged, ...page])
    if (!isDone) return false
  }
  return true
}

/** Puts items of an unused id into a table, like `writeUnusedId`. */
export function putItemsOfUnusedId(
  deps: CatalogDeps,
  unusedId: UnusedId,
  { name: tableName }: Table,
  puts: readonly { readonly key: Key; readonly item: Item }[],
): Promise<boolean> {
  const parts = puts.map(put => ({ kind: 'put', ...put, ifAbsent: false, tableName }) as const)
  return writeUnusedId(deps, unusedId, parts)
}

/** Removes all items of a partition of an unused id, like `writeUnusedId`. */
export async function clearPartitionOfUnusedId(
  deps: CatalogDeps,
  unusedId: UnusedId,
  { table, pk }: { readonly table: Table; readonly pk: string },
): Promise<boolean> {
  const { name: tableName } = table
  const range = { pk, limit: limits.itemsPerRound, attributes: ['pk', 'sk'] }
  for (;;) {
    const items = await queryItems(table, range)
    const parts = items.map(item => ({ kind: 'remove', key: keyOfItem(item), tableName }) as const)
    if (!(await writeUnusedId(deps, unusedId, parts))) return false
    if (items.length < range.limit) return true
  }
}

/**
 * Splits writes by the limits of a transaction. Each transaction also has the write that checks the
 * id.
 */
function splitIntoTransactions(
  parts: readonly TransactionPart[],
): readonly (readonly TransactionPart[])[] {
  const size = { countMax: limits.transactionItemsMax - 1, bytesMax: limits.copiedBytesMax }
  return splitBySize(parts, size, part => (part.kind === 'put' ? itemBytesOf(part.item) : 0))
}
