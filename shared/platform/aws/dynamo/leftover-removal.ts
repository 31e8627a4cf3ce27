import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { RetentionPort } from '../../../ports/retention.ts'
import type { RandomPort } from '../../../ports/system.ts'
import type { StackId } from '../../../records/ids.ts'
import { isLateItemOfStack } from './inbox.ts'
import { catalogKeys, journalKeys } from './record-keys.ts'
import { abandonRename, readReservation } from './rename-reservation.ts'
import { deleteRange } from './table/batch-items.ts'
import { joinConditions } from './table/expressions.ts'
import { type Item, toItem, keyOfItem, readFlag, readNumber, readText } from './table/item.ts'
import { deleteItem, getItem, queryItems, type Table } from './table/table.ts'
import { transact } from './table/transaction.ts'

/** Dependencies of the removal of leftovers. */
interface LeftoverDeps {
  readonly journalTable: Table
  readonly catalogTable: Table
  readonly random: Pick<RandomPort, 'uuid'>
}

/**
 * Creates the removal of the records that removed stacks left in the journal. The API removes
 * stacks, but no records of the journal, so compaction calls this removal later. The list of stacks
 * contains a removed stack until all its records are removed, so the next call continues an
 * interrupted one.
 */
export function createLeftoverRemoval(deps: LeftoverDeps): RetentionPort['removeLeftovers'] {
  return async () => {
    const { pk } = catalogKeys.stackListEntry('')
    const entries = await queryItems(deps.catalogTable, { pk, limit: limits.listEntriesMax })
    for (const entry of entries) await removeLeftoversOf(deps, readText(entry, 'sk') as StackId)
  }
}

/**
 * Removes the late outcomes of removed stacks with this id. If no stack has the id, also removes
 * the copies of an interrupted rename and the durations of slow operations. Then removes the entry
 * in the list of stacks. While a rename may still be running, removes only the late outcomes.
 */
async function removeLeftoversOf(deps: LeftoverDeps, id: StackId): Promise<void> {
  const { journalTable, catalogTable, random } = deps
  const key = catalogKeys.stack(id)
  // The late outcomes are read before the stack. So none of them belongs to a stack that takes the
  // id after the stack was read as removed.
  const lateItems = await queryItems(journalTable, {
    pk: journalKeys.late(id, '').pk,
    limit: limits.listEntriesMax,
    attributes: ['pk', 'sk', 'copiedBy'],
  })
  const stackItem = await getItem(catalogTable, key)
  if (stackItem === undefined) return
  const isRemoved = readFlag(stackItem, 'removed')
  const isReserved = isRemoved && readNumber(stackItem, 'reservedAt') > 0
  for (const item of lateItems)
    if ((isRemoved && !isReserved) || !isLateItemOfStack(item, stackItem))
      await deleteLateItem(journalTable, item)
  if (!isRemoved) return
  const reservation = readReservation(id, stackItem, catalogTable.clock.now())
  if (reservation !== undefined) {
    const isAbandoned = reservation.isExpired && (await abandonRename(deps, reservation))
    if (!isAbandoned) return
  }
  await deleteRange(journalTable, { pk: journalKeys.slow(id, '').pk })
  // A stack or a rename may have taken the id meanwhile. Then the condition fails, and the entry
  // stays.
  const change = {
    key,
    updateExpression: 'SET #removed = :yes REMOVE #reservedAt',
    condition: joinConditions(
      '#removed = :yes',
      'attribute_not_exists(#reservedAt) OR #reservedAt = :reservedAt',
    ),
    values: toItem({ yes: true, reservedAt: readNumber(stackItem, 'reservedAt') }),
  }
  await transact(catalogTable, random, [
    { kind: 'change', change },
    { kind: 'remove', key: catalogKeys.stackListEntry(id) },
  ])
}

/** Deletes a late outcome, unless a rename has replaced it by a copy since `item` was read. */
async function deleteLateItem(journalTable: Table, item: Item): Promise<void> {
  const copiedBy = readText(item, 'copiedBy')
  const condition =
    copiedBy === ''
      ? { condition: 'attribute_not_exists(#copiedBy)', values: {} }
      : { condition: '#copiedBy = :copiedBy', values: toItem({ copiedBy }) }
  await deleteItem(journalTable, keyOfItem(item), condition)
}
