import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { StackIdentity } from '../../../ports/catalog.ts'
import type { StackId } from '../../../records/ids.ts'
import { explainRefusedRemoval } from '../../records/refused-removal.ts'
import { catalogKeys as keys } from './record-keys.ts'
import { formatAttributeOf } from './record-format.ts'
import {
  parseHistoryItem,
  parseStackItem,
  parseVersionItem,
  type StoredStack,
} from './stack-record.ts'
import type { CatalogDeps } from './stack-races.ts'
import { existsCondition, joinConditions, readableCondition } from './table/expressions.ts'
import { type Item, readNumber, readText, toItem } from './table/item.ts'
import { getItem, type ItemRange, queryItems, type Table, updateItem } from './table/table.ts'
import { clearPartitionOfUnusedId, type UnusedId } from './unused-id-writes.ts'

/**
 * Removes a stack. Then removes its history and versions, unless the id was taken meanwhile. After
 * an interruption, a later removal or creation removes the remaining records. `removeLeftovers` of
 * the retention removes the inbox, and the entry in the list of stacks. Returns false while a
 * deployment is current, and for a stack with other values than `expected`. Throws RECORD_DAMAGED
 * and RECORD_TOO_NEW, and then removes nothing.
 */
export async function removeStackItem(
  deps: CatalogDeps,
  id: StackId,
  expected?: StackIdentity,
): Promise<boolean> {
  const { catalogTable } = deps
  const item = await getItem(catalogTable, keys.stack(id))
  const unusedId = { id, token: readText(item ?? {}, 'token') }
  const stack = await readStackRecords(catalogTable, id, item)
  if (stack === undefined) {
    // The records under a reserved id belong to the rename or creation that has reserved it.
    if (item !== undefined && readNumber(item, 'reservedAt') === 0)
      await removeHistoryAndVersions(deps, unusedId)
    return true
  }
  if (stack.current !== '') return false
  // Only the stack whose records were read is removed.
  const { deployments, createdAt } = expected ?? stack
  const { isDone } = await updateItem(catalogTable, {
    key: keys.stack(id),
    updateExpression: 'SET #removed = :yes, #version = :zero, #snapshot = :empty',
    condition: joinConditions(
      existsCondition,
      joinConditions(
        readableCondition,
        '#current = :empty AND #deployments = :deployments AND #createdAt = :createdAt',
      ),
    ),
    values: {
      ...toItem({ yes: true, zero: 0, empty: '', deployments, createdAt }),
      ...formatAttributeOf('stack'),
    },
  })
  if (!isDone) return false
  await removeHistoryAndVersions(deps, unusedId)
  return true
}

/**
 * Removes the history and the versions of a removed stack. Returns false if the id was taken
 * meanwhile.
 */
export async function removeHistoryAndVersions(
  deps: CatalogDeps,
  unusedId: UnusedId,
): Promise<boolean> {
  const { id } = unusedId
  for (const { pk } of [keys.history(id, 0), keys.version(id, 0)])
    if (!(await clearPartitionOfUnusedId(deps, unusedId, { table: deps.catalogTable, pk })))
      return false
  return true
}

/**
 * Reads all records of a stack in the catalog. Returns undefined for an absent or removed stack.
 * Throws like `removeStackItem`.
 */
async function readStackRecords(
  catalogTable: Table,
  id: StackId,
  item: Item | undefined,
): Promise<StoredStack | undefined> {
  try {
    const stack = parseStackItem(id, item)
    if (stack === undefined) return undefined
    const { pk: historyPartition } = keys.history(id, 0)
    const { pk: versionsPartition } = keys.version(id, 0)
    await parseItems(catalogTable, historyPartition, entry => parseHistoryItem(id, entry))
    await parseItems(catalogTable, versionsPartition, entry => parseVersionItem(id, entry))
    return stack
  } catch (thrown) {
    throw explainRefusedRemoval(thrown)
  }
}

/** Passes all items of a partition to `parse`, page by page. */
async function parseItems(table: Table, pk: string, parse: (item: Item) => unknown): Promise<void> {
  let range: ItemRange = { pk, limit: limits.itemsPerRound }
  for (;;) {
    const items = await queryItems(table, range)
    for (const item of items) parse(item)
    const last = items.at(-1)
    if (last === undefined || items.length < range.limit) return
    range = { ...range, after: readText(last, 'sk') }
  }
}
