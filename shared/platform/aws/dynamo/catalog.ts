import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { CatalogPort, StackRecord, UnreadableStack } from '../../../ports/catalog.ts'
import type { StackId } from '../../../records/ids.ts'
import { getItems } from './table/batch-items.ts'
import { absentCondition, joinConditions, readableCondition } from './table/expressions.ts'
import { createInbox } from './inbox.ts'
import { toItem, readText } from './table/item.ts'
import { catalogKeys as keys } from './record-keys.ts'
import type { CatalogAndInboxDeps, CatalogDeps } from './stack-races.ts'
import { reserveNewId } from './rename-reservation.ts'
import { removeHistoryAndVersions, removeStackItem } from './stack-removal.ts'
import { createStackTransitions } from './stack-transitions.ts'
import {
  parseHistoryItem,
  type StoredStack,
  parseStackItem,
  parseVersionItem,
} from './stack-record.ts'
import { formatAttributeOf } from './record-format.ts'
import { getItem, queryItems } from './table/table.ts'
import { transact } from './table/transaction.ts'

/**
 * Creates the catalog of stacks. The start, publication and end of a deployment each write several
 * items in one transaction. Each creation and each start writes a token that identifies a
 * repetition of the same call.
 */
export function createCatalog(deps: CatalogAndInboxDeps): CatalogPort {
  const { catalogTable } = deps
  return {
    createStack: async (id, createdAt) => {
      const existingItem = await getItem(catalogTable, keys.stack(id))
      if (parseStackItem(id, existingItem) !== undefined) return false
      const token = deps.random.uuid()
      const isReserved = existingItem !== undefined
      // An interrupted removal or rename may have left records, which do not belong to the new
      // stack. The reservation stops a running rename, so it cannot write records after this
      // removal.
      if (isReserved) {
        if (!(await reserveNewId(deps, { newId: id, token }))) return false
        if (!(await removeHistoryAndVersions(deps, { id, token }))) return false
      }
      return createStackItem(deps, { id, createdAt, token, isReserved })
    },
    getStack: async id => {
      const stack = parseStackItem(id, await getItem(catalogTable, keys.stack(id)))
      return stack === undefined ? undefined : toStackRecord(stack)
    },
    listStacks: async project => {
      const { pk } = keys.stackListEntry('')
      const beginsWith = `organization/${project ?? ''}${project === undefined ? '' : '/'}`
      const listItems = await queryItems(catalogTable, {
        pk,
        beginsWith,
        limit: limits.listEntriesMax,
      })
      const ids = listItems.map(item => readText(item, 'sk') as StackId)
      const items = await getItems(
        catalogTable,
        ids.map(id => keys.stack(id)),
      )
      const itemsByKey = new Map(items.map(item => [readText(item, 'pk'), item]))
      const stacks: StackRecord[] = []
      const unreadable: UnreadableStack[] = []
      for (const id of ids) {
        try {
          const stack = parseStackItem(id, itemsByKey.get(keys.stack(id).pk))
          if (stack !== undefined) stacks.push(toStackRecord(stack))
        } catch (thrown) {
          unreadable.push({
            id,
            reason: thrown instanceof Error ? thrown : new Error(String(thrown)),
          })
        }
      }
      return { stacks, unreadable }
    },
    removeStack: (id, expected) => removeStackItem(deps, id, expected),
    ...createStackTransitions(deps),
    ...createInbox(deps),
    listHistory: async (id, limit, beforeNumber) => {
      const { pk, sk: atMost } = keys.history(id, Math.max(0, (beforeNumber ?? 0) - 1))
      const upperBound = beforeNumber === undefined ? {} : { atMost }
      const items = await queryItems(catalogTable, { pk, isBackwards: true, limit, ...upperBound })
      return items.map(item => parseHistoryItem(id, item))
    },
    listVersions: async (id, limit, beforeVersion) => {
      const { pk, sk: atMost } = keys.version(id, Math.max(0, (beforeVersion ?? 0) - 1))
      const upperBound = beforeVersion === undefined ? {} : { atMost }
      const items = await queryItems(catalogTable, { pk, isBackwards: true, limit, ...upperBound })
      return items.map(item => parseVersionItem(id, item))
    },
  }
}

/** Returns the record of a stack without the fields that only this adapter uses. */
function toStackRecord(stack: StoredStack): StackRecord {
  const { startToken: _startToken, ...record } = stack
  return record
}

/**
 * Creates the record of a stack, or replaces the record of an id that is reserved with the token.
 * Returns false when the stack exists, or another creation or rename has taken the id.
 */
async function createStackItem(
  { catalogTable, random }: CatalogDeps,
  {
    id,
    createdAt,
    token,
    isReserved,
  }: {
    readonly id: StackId
    readonly createdAt: number
    readonly token: string
    readonly isReserved: boolean
  },
): Promise<boolean> {
  const recordedNumber = 'if_not_exists(#deployments, :zero)'
  const creationAssignments = [
    '#createdAt = :at',
    '#token = :token',
    '#removed = :no',
    '#format = :format',
  ]
  const emptyAssignments = [
    '#current = :empty',
    '#targeted = :empty',
    '#startToken = :empty',
    '#snapshot = :empty',
    '#version = :zero',
  ]
  // A removed stack of the same id has used the numbers up to `deploymentsBefore`. The late
  // outcomes of its deployments do not belong to the new stack.
  const numberAssignments = [
    `#deployments = ${recordedNumber}`,
    `#deploymentsBefore = ${recordedNumber}`,
  ]
  const assignments = [...creationAssignments, ...emptyAssignments, ...numberAssignments]
  const change = {
    key: keys.stack(id),
    updateExpression: `SET ${assignments.join(', ')} REMOVE #reservedAt`,
    condition: joinConditions(
      readableCondition,
      isReserved ? '#removed = :yes AND #token = :token' : absentCondition,
    ),
    values: {
      ...toItem({ at: createdAt, token, yes: true, no: false, empty: '', zero: 0 }),
      ...formatAttributeOf('stack'),
    },
  }
  const result = await transact(catalogTable, random, [
    { kind: 'change', change },
    { kind: 'put', key: keys.stackListEntry(id), item: {}, ifAbsent: false },
  ])
  if (result.isDone) return true
  const existing = result.parts[0]?.existing
  return existing !== undefined && readText(existing, 'token') === token
}
