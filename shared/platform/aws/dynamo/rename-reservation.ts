import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { StackId } from '../../../records/ids.ts'
import type { CatalogAndInboxDeps, CatalogDeps } from './stack-races.ts'
import { formatAttributeOf } from './record-format.ts'
import { catalogKeys as keys, journalKeys } from './record-keys.ts'
import { absentCondition, joinConditions, readableCondition } from './table/expressions.ts'
import { type Item, keyOfItem, readNumber, readText, toItem } from './table/item.ts'
import { deleteItem, queryItems, type Table, updateItem } from './table/table.ts'
import { transact } from './table/transaction.ts'

/** The id that a rename or a creation reserves. `token`: identifies the rename or creation. */
export interface Reservation {
  readonly newId: StackId
  readonly token: string
}

/** The prefix of the token of a rename that can no longer complete. */
const abandonedPrefix = 'abandoned '

/**
 * Reserves the new id of a rename. Marks the item of the id as that of a removed stack, so that no
 * stack is found yet. Writes the token of the rename and the time into the item. Also puts the id
 * into the list of stacks, so that compaction finds an interrupted rename. Replaces the reservation
 * of another rename or creation, which then cannot write under the id any more. Returns false if a
 * stack has the id. Atomic.
 */
export async function reserveNewId(
  { catalogTable, random }: CatalogDeps,
  { newId, token }: Reservation,
): Promise<boolean> {
  const reservedAt = catalogTable.clock.now()
  const change = {
    key: keys.stack(newId),
    updateExpression:
      'SET #removed = :yes, #token = :token, #reservedAt = :reservedAt, #format = :format',
    condition: joinConditions(readableCondition, `${absentCondition} OR #removed = :yes`),
    values: { ...toItem({ yes: true, token, reservedAt }), ...formatAttributeOf('stack') },
  }
  const { isDone } = await transact(catalogTable, random, [
    { kind: 'change', change },
    { kind: 'put', key: keys.stackListEntry(newId), item: {}, ifAbsent: false },
  ])
  return isDone
}

/** Returns the partitions with the records that a rename copies, always in the same order. */
export function listCopiedPartitions(
  { catalogTable, journalTable }: Pick<CatalogAndInboxDeps, 'catalogTable' | 'journalTable'>,
  id: StackId,
): readonly { readonly table: Table; readonly pk: string }[] {
  return [
    { table: catalogTable, pk: keys.history(id, 0).pk },
    { table: catalogTable, pk: keys.version(id, 0).pk },
    { table: journalTable, pk: journalKeys.late(id, '').pk },
    // The last durations of slow operations.
    { table: journalTable, pk: journalKeys.slow(id, '').pk },
  ]
}

/**
 * Prevents the completion of an unfinished rename, and then removes its copies. Keeps records that
 * another rename or a later stack with the id wrote meanwhile. Returns false if the rename has
 * completed, or another rename has reserved the id. A repeated call continues an interrupted one.
 */
export async function abandonRename(
  deps: CatalogAndInboxDeps,
  { newId, token }: Reservation,
): Promise<boolean> {
  const abandoned = `${abandonedPrefix}${token}`
  const { isDone } = await updateItem(deps.catalogTable, {
    key: keys.stack(newId),
    updateExpression: 'SET #token = :abandoned',
    condition: joinConditions('#removed = :yes', '#token = :token OR #token = :abandoned'),
    values: toItem({ yes: true, token, abandoned }),
  })
  if (!isDone) return false
  await removeCopies(deps, { newId, token })
  return true
}

/** Removes the copies of a rename that cannot complete any more. */
export async function removeCopies(
  deps: Pick<CatalogAndInboxDeps, 'catalogTable' | 'journalTable'>,
  { newId, token }: Reservation,
): Promise<void> {
  for (const partition of listCopiedPartitions(deps, newId))
    await removeCopiesFrom(partition, token)
}

async function removeCopiesFrom(
  { table, pk }: { readonly table: Table; readonly pk: string },
  token: string,
): Promise<void> {
  const attributes = ['pk', 'sk', 'copiedBy']
  const items = await queryItems(table, { pk, limit: limits.listEntriesMax, attributes })
  const copies = items.filter(item => readText(item, 'copiedBy') === token)
  const condition = { condition: '#copiedBy = :token', values: toItem({ token }) }
  for (const copy of copies) await deleteItem(table, keyOfItem(copy), condition)
}

/**
 * Returns the reservation in the item of a removed stack. `isExpired`: the rename was abandoned, or
 * the reservation is older than `limits.renameLimitMs`. No rename or creation takes longer, so the
 * process that reserved the id has died. Returns undefined if the id was not reserved since its
 * last stack was removed.
 */
export function readReservation(
  newId: StackId,
  stackItem: Item,
  nowMs: number,
): (Reservation & { readonly isExpired: boolean }) | undefined {
  const reservedAt = readNumber(stackItem, 'reservedAt')
  if (reservedAt === 0) return undefined
  const storedToken = readText(stackItem, 'token')
  const isAbandoned = storedToken.startsWith(abandonedPrefix)
  const token = isAbandoned ? storedToken.slice(abandonedPrefix.length) : storedToken
  return { newId, token, isExpired: isAbandoned || nowMs - reservedAt > limits.renameLimitMs }
}
