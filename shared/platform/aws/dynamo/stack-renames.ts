import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import { createError } from '../../../errors/error.ts'
import type { RenameInput, RenameResult, StackRenames } from '../../../ports/stack-renames.ts'
import { deploymentIdOf, type StackId } from '../../../records/ids.ts'
import { historyBeginOf } from '../../records/history-begin.ts'
import { isLateItemOfStack } from './inbox.ts'
import { catalogKeys as keys, journalKeys } from './record-keys.ts'
import { formatAttributeOf } from './record-format.ts'
import {
  abandonRename,
  listCopiedPartitions,
  removeCopies,
  reserveNewId,
} from './rename-reservation.ts'
import { createDocumentParts } from './rename-documents.ts'
import { createRenameEndParts } from './end-rename-request.ts'
import type { CatalogAndInboxDeps } from './stack-races.ts'
import { parseStackItem, type StoredStack } from './stack-record.ts'
import { joinConditions, readableCondition } from './table/expressions.ts'
import { type Item, readNumber, readText, toItem } from './table/item.ts'
import { getItem, queryItems, type Table } from './table/table.ts'
import { transact, type TransactionPart } from './table/transaction.ts'
import {
  clearPartitionOfUnusedId,
  putItemsOfUnusedId,
  type UnusedId,
  writeUnusedId,
} from './unused-id-writes.ts'

/** A rename, with the stack that was read from the table. */
interface Rename extends RenameInput {
  readonly id: StackId
  readonly newId: StackId
  readonly stack: StoredStack
  /** The item of the stack, from which `stack` was parsed. */
  readonly stackItem: Item
  /** The number of the rename in the history. */
  readonly number: number
  /** The version of the stack after the rename. */
  readonly version: number
  /** Identifies this rename in the item of the new id. */
  readonly token: string
}

/**
 * Creates the adapter that renames stacks. A rename has four steps:
 * 1. It reserves the new id, whose item it marks as removed. If the rename is interrupted, a later
 *    stack with this id therefore starts without the copied records.
 * 2. It copies history, versions, inbox and durations to the new id.
 * 3. One transaction moves the stack, its documents and its program. It also ends the request for
 *    the rename.
 * 4. It removes the originals of the copied records, and the old id from the list of stacks.
 *
 * During step 2, another rename or a creation can take the new id. During step 4, they can take the
 * old id. So each write of these steps requires that the token in the item of the id is unchanged.
 *
 * After a crash in step 4, the creation of a stack with the old id removes the remaining history
 * and versions. Compaction finds the old id in the list of stacks, and removes the remaining
 * records of the journal. An interrupted rename has left its new id in the list. Compaction finds
 * the id there, and removes the copies.
 */
export function createStackRenames(deps: CatalogAndInboxDeps): StackRenames {
  const { catalogTable, random } = deps
  return {
    async rename(id, newId, input) {
      const stackItem = await getItem(catalogTable, keys.stack(id))
      const stack = parseStackItem(id, stackItem)
      if (stackItem === undefined || stack === undefined) return 'missing'
      const target = await getItem(catalogTable, keys.stack(newId))
      if (parseStackItem(newId, target) !== undefined) return 'exists'
      if (stack.current !== '' || (await hasOtherRequest(catalogTable, id, input.key)))
        return 'busy'
      if (stack.version !== input.expectedVersion) return 'conflict'
      const lastNumber = Math.max(stack.deployments, readNumber(target ?? {}, 'deployments'))
      const version = input.snapshot === '' ? stack.version : stack.version + 1
      const number = lastNumber + 1
      const token = random.uuid()
      const rename = { ...input, id, newId, stack, stackItem, number, version, token }
      if (!(await reserveNewId(deps, rename))) return 'exists'
      const result = (await copyRecords(deps, rename)) ? await moveStack(deps, rename) : 'conflict'
      if (result === 'renamed') await removeOriginals(deps, rename)
      else if (!(await abandonRename(deps, rename))) await removeCopies(deps, rename)
      return result
    },
  }
}

/** Reports whether the stack has a waiting request other than the one for the rename. */
async function hasOtherRequest(
  catalogTable: Table,
  id: StackId,
  key: string | undefined,
): Promise<boolean> {
  const { pk } = keys.requestCounter(id)
  const items = await queryItems(catalogTable, { pk, beginsWith: 'waiting ', limit: 2 })
  return items.some(item => readText(item, 'key') !== key)
}

/**
 * Removes all records of an id from the partitions that a rename copies. After the rename, this
 * removes the originals of the old id. Before the copy, it removes the records that a removed stack
 * or an interrupted rename left under the new id. Returns false if the id was taken meanwhile.
 */
async function clearCopiedPartitions(
  deps: CatalogAndInboxDeps,
  unusedId: UnusedId,
): Promise<boolean> {
  for (const partition of listCopiedPartitions(deps, unusedId.id))
    if (!(await clearPartitionOfUnusedId(deps, unusedId, partition))) return false
  return true
}

/**
 * Removes the records under the old id after the move, unless the id was taken meanwhile. After a
 * crash, compaction finds the remaining records by the entry in the list of stacks. The entry is
 * therefore removed last.
 */
async function removeOriginals(
  deps: CatalogAndInboxDeps,
  { id, stackItem }: Rename,
): Promise<void> {
  const oldId = { id, token: readText(stackItem, 'token') }
  const entry = { kind: 'remove', key: keys.stackListEntry(id) } as const
  if (await clearCopiedPartitions(deps, oldId)) await writeUnusedId(deps, oldId, [entry])
}

/**
 * Copies the records to the new id. Omits late outcomes of an earlier stack that had the old id and
 * was removed. Returns false if another rename or a creation has taken the new id.
 */
async function copyRecords(deps: CatalogAndInboxDeps, rename: Rename): Promise<boolean> {
  const { id, newId, stackItem, token } = rename
  if (!(await clearCopiedPartitions(deps, { id: newId, token }))) return false
  const newPartitions = listCopiedPartitions(deps, newId)
  const latePk = journalKeys.late(id, '').pk
  for (const [index, { table, pk }] of listCopiedPartitions(deps, id).entries()) {
    const isCopied = (item: Item): boolean => pk !== latePk || isLateItemOfStack(item, stackItem)
    const newPk = newPartitions[index]?.pk ?? ''
    if (!(await copyPartition(deps, rename, { table, pk, newPk, isCopied }))) return false
  }
  return true
}

async function copyPartition(
  deps: CatalogAndInboxDeps,
  { newId, token }: Rename,
  {
    table,
    pk,
    newPk,
    isCopied,
  }: {
    readonly table: Table
    readonly pk: string
    readonly newPk: string
    readonly isCopied: (item: Item) => boolean
  },
): Promise<boolean> {
  for (let after = ''; ; ) {
    const lowerBound = after === '' ? {} : { after }
    const items = await queryItems(table, { pk, ...lowerBound, limit: limits.itemsPerRound })
    const puts = items.filter(isCopied).map(item => ({
      key: { pk: newPk, sk: readText(item, 'sk') },
      item: { ...item, ...toItem({ copiedBy: token }) },
    }))
    if (!(await putItemsOfUnusedId(deps, { id: newId, token }, table, puts))) return false
    const lastItem = items[limits.itemsPerRound - 1]
    if (lastItem === undefined) return true
    after = readText(lastItem, 'sk')
  }
}

/**
 * Moves the stack, its documents and its program, and ends the request for the rename, in one
 * transaction.
 */
async function moveStack(
  { catalogTable, random }: CatalogAndInboxDeps,
  rename: Rename,
): Promise<RenameResult> {
  const { id, newId, key } = rename
  const documentParts = await createDocumentParts(catalogTable, rename)
  if (documentParts === undefined) return 'conflict'
  const requestEndParts =
    key === undefined ? [] : await createRenameEndParts(catalogTable, { id, newId, key })
  if (requestEndParts === undefined) return 'busy'
  const parts: readonly TransactionPart[] = [
    ...createStackParts(rename),
    ...createHistoryParts(rename),
    { kind: 'put', key: keys.stackListEntry(newId), item: {}, ifAbsent: false },
    ...createProgramParts(rename),
    ...documentParts,
    ...requestEndParts,
  ]
  if (parts.length > limits.transactionItemsMax)
    throw createError(
      'CLI_USAGE',
      `the stack has too many documents for a rename: ${documentParts.length / 2}, such as schedules and notifications`,
    )
  const { isDone } = await transact(catalogTable, random, parts)
  return isDone ? 'renamed' : 'conflict'
}

/** `deploymentsBefore`: the number of the last deployment of a removed stack with the new id. */
function createStackParts(rename: Rename): readonly TransactionPart[] {
  const { id, newId, stack, number, version, token } = rename
  const snapshot = rename.snapshot === '' ? stack.snapshot : rename.snapshot
  const common = { yes: true, no: false, empty: '', zero: 0 }
  const newFields = { createdAt: stack.createdAt, version, snapshot, number, token }
  return [
    {
      kind: 'change',
      change: {
        key: keys.stack(newId),
        updateExpression:
          'SET #createdAt = :createdAt, #removed = :no, #current = :empty, #startToken = :empty, ' +
          '#deploymentsBefore = if_not_exists(#deployments, :zero), ' +
          '#snapshot = :snapshot, #version = :version, #deployments = :number REMOVE #reservedAt',
        condition: joinConditions(readableCondition, '#removed = :yes AND #token = :token'),
        values: { ...toItem({ ...common, ...newFields }), ...formatAttributeOf('stack') },
      },
    },
    {
      kind: 'change',
      change: {
        key: keys.stack(id),
        updateExpression: 'SET #removed = :yes, #version = :zero, #snapshot = :empty',
        condition: joinConditions(
          readableCondition,
          '#removed = :no AND #current = :empty AND #version = :before AND #deployments = :number',
        ),
        values: {
          ...toItem({ ...common, before: stack.version, number: stack.deployments }),
          ...formatAttributeOf('stack'),
        },
      },
    },
  ]
}

function createHistoryParts(rename: Rename): readonly TransactionPart[] {
  const { id, newId, number, version, snapshot, at, by } = rename
  const begin = historyBeginOf(deploymentIdOf(newId, number), {
    command: 'stack rename',
    message: `was ${id}`,
    at,
    ...(by === undefined ? {} : { by }),
  })
  const end = { endedAt: at, result: 'succeeded', changes: {}, version }
  const history = {
    ...toItem({ begun: JSON.stringify(begin), ended: JSON.stringify(end) }),
    ...formatAttributeOf('history'),
  }
  const versionItem = { ...toItem({ blob: snapshot }), ...formatAttributeOf('snapshot') }
  return [
    { kind: 'put', key: keys.history(newId, number), item: history, ifAbsent: false },
    ...(snapshot === ''
      ? []
      : [
          {
            kind: 'put',
            key: keys.version(newId, version),
            item: versionItem,
            ifAbsent: false,
          } as const,
        ]),
  ]
}

function createProgramParts({
  id,
  newId,
  program: archive,
}: Pick<Rename, 'id' | 'newId' | 'program'>): readonly TransactionPart[] {
  const removal = { kind: 'remove', key: keys.program(id) } as const
  if (archive === '') return [removal, { kind: 'remove', key: keys.program(newId) }]
  return [
    removal,
    { kind: 'put', key: keys.program(newId), item: toItem({ archive }), ifAbsent: false },
    // The blob sweep reads the programs of the stacks in this list, and keeps their archives.
    { kind: 'put', key: keys.stackWithRequestsEntry(newId), item: {}, ifAbsent: false },
  ]
}
