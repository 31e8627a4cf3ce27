import { createHash } from 'node:crypto'
import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { RequestsPort } from '../../../ports/requests.ts'
import type { RandomPort } from '../../../ports/system.ts'
import type { BlobHash, StackId } from '../../../records/ids.ts'
import type { RequestRecord, StackRequest } from '../../../records/stack-request.ts'
import { parseStoredRequest, serializeRequest } from '../../records/request-text.ts'
import {
  alwaysTrue,
  joinConditions,
  readableCondition,
  existsCondition,
} from './table/expressions.ts'
import { type Item, toItem, keyOfItem, readNumber, readText } from './table/item.ts'
import { catalogKeys as keys, padTime } from './record-keys.ts'
import { createLruCache } from './lru-cache.ts'
import { formatAttributeOf, requireReadableItem } from './record-format.ts'
import {
  deleteItem,
  getItem,
  putItem,
  queryItems,
  type Table,
  updateItem,
  hasItem,
} from './table/table.ts'
import { transact, type TransactionPart } from './table/transaction.ts'

/** Dependencies of the request queues. */
interface RequestsDeps {
  readonly catalogTable: Table
  readonly random: Pick<RandomPort, 'uuid'>
}

/**
 * Creates the request queues of stacks in the catalog. A request is stored by key and, while it
 * waits, also by position. A reader therefore finds the waiting requests without reading the ended
 * ones. The put and the end of a request change both items in one transaction. An approval is an
 * item of another partition, which the functions of webhooks and schedules cannot write.
 */
export function createRequests(deps: RequestsDeps): RequestsPort {
  const { catalogTable, random } = deps
  const recordStack = createStackRecorder(catalogTable)
  /** Puts a request, together with other writes in the same transaction. */
  const put = async (
    request: StackRequest,
    moreWrites: readonly TransactionPart[],
  ): Promise<boolean> => {
    const { stack, key, at } = request
    const json = serializeRequest(request)
    const existingItem = await getItem(catalogTable, keys.request(stack, key))
    // After a lost response, a caller repeats exactly the same request, and must succeed.
    if (existingItem !== undefined) return isSameRequest(existingItem, json)
    await recordStack(stack)
    const position = await takeNextPosition(catalogTable, stack)
    const item = { ...toItem({ key, request: json }), ...formatAttributeOf('request') }
    const requestItem = { ...item, ...toItem({ at, position }) }
    const result = await transact(catalogTable, random, [
      { kind: 'put', key: keys.request(stack, key), item: requestItem, ifAbsent: true },
      { kind: 'put', key: keys.waitingRequest(stack, position), item, ifAbsent: true },
      ...moreWrites,
    ])
    return result.isDone || isSameRequest(result.parts[0]?.existing, json)
  }
  return {
    put: request => put(request, []),
    putAuthorized: request => {
      const key = keys.approval(request.stack, request.key)
      const item = toItem({ digest: digestOf(serializeRequest(request)) })
      return put(request, [{ kind: 'put', key, item, ifAbsent: false }])
    },
    isApproved: async request => {
      const item = await getItem(catalogTable, keys.approval(request.stack, request.key))
      return readText(item ?? {}, 'digest') === digestOf(serializeRequest(request))
    },
    listWaiting: async (stack, limit) => {
      const { pk } = keys.requestCounter(stack)
      const items = await queryItems(catalogTable, { pk, beginsWith: 'waiting ', limit })
      return items.map(item => parseRequestItem(stack, item).request)
    },
    find: async (stack, key) => {
      const item = await getItem(catalogTable, keys.request(stack, key))
      return item === undefined ? undefined : parseRequestItem(stack, item)
    },
    end: (stack, key, end) => writeRequestEnd(deps, { stack, key, end: JSON.stringify(end) }),
    removeEnded: async (createdBefore, limit) => {
      const { pk } = keys.endedRequestEntry(0, '', '')
      const items = await queryItems(catalogTable, { pk, atMost: padTime(createdBefore), limit })
      for (let start = 0; start < items.length; start += limits.parallelRequestRemovals)
        await Promise.all(
          items
            .slice(start, start + limits.parallelRequestRemovals)
            .map(item => forgetRequest(deps, item)),
        )
      return items.length
    },
    putProgram: async (stack, archive) => {
      await recordStack(stack)
      await putItem(catalogTable, {
        key: keys.program(stack),
        item: toItem({ archive }),
        ifAbsent: false,
      })
    },
    getProgram: async stack => {
      const item = await getItem(catalogTable, keys.program(stack))
      return item === undefined ? undefined : (readText(item, 'archive') as BlobHash)
    },
  }
}

/**
 * Creates a function that enters a stack in the list of stacks with a request or a program. The
 * listing of blob references reads the requests of the stacks in the list.
 */
function createStackRecorder(catalogTable: Table): (stack: StackId) => Promise<void> {
  const recordedStacks = createLruCache<true>()
  return async stack => {
    if (recordedStacks.get(stack) === true) return
    const key = keys.stackWithRequestsEntry(stack)
    if (!(await hasItem(catalogTable, key)))
      await putItem(catalogTable, { key, item: {}, ifAbsent: false })
    recordedStacks.set(stack, true)
  }
}

/** Returns the position of the next request. Positions of failed puts stay unused. */
async function takeNextPosition(catalogTable: Table, stack: StackId): Promise<number> {
  const writeResult = await updateItem(catalogTable, {
    key: keys.requestCounter(stack),
    updateExpression: 'ADD #last :one',
    condition: alwaysTrue,
    values: toItem({ one: 1 }),
  })
  return readNumber((writeResult.isDone ? writeResult.item : writeResult.existing) ?? {}, 'last')
}

async function writeRequestEnd(
  { catalogTable, random }: RequestsDeps,
  input: { readonly stack: StackId; readonly key: string; readonly end: string },
): Promise<boolean> {
  const { stack, key } = input
  const item = await getItem(catalogTable, keys.request(stack, key))
  if (item === undefined) return false
  if (parseRequestItem(stack, item).end !== undefined) return true
  const result = await transact(catalogTable, random, createEndParts(item, input))
  return result.isDone || result.parts[0]?.existing !== undefined
}

/** Returns the writes that end a waiting request. `item` is the stored item of the request. */
export function createEndParts(
  item: Item,
  { stack, key, end }: { readonly stack: StackId; readonly key: string; readonly end: string },
): readonly TransactionPart[] {
  const [requestedAt, position] = [readNumber(item, 'at'), readNumber(item, 'position')]
  const change = {
    key: keys.request(stack, key),
    updateExpression: 'SET #ended = :ended',
    condition: joinConditions(
      joinConditions(existsCondition, readableCondition),
      'attribute_not_exists(#ended) AND #position = :position',
    ),
    values: { ...toItem({ ended: end, position }), ...formatAttributeOf('request') },
  }
  return [
    { kind: 'change', change },
    { kind: 'remove', key: keys.waitingRequest(stack, position) },
    { kind: 'remove', key: keys.approval(stack, key) },
    // With this item, `removeEnded` finds the ended request without reading the waiting requests.
    {
      kind: 'put',
      key: keys.endedRequestEntry(requestedAt, stack, key),
      item: toItem({ stack, key }),
      ifAbsent: false,
    },
  ]
}

/**
 * Removes an ended request with its entry in the list of ended requests. Removes only the entry if
 * a new request with the same key has not ended yet.
 */
async function forgetRequest(
  { catalogTable, random }: RequestsDeps,
  listEntry: Item,
): Promise<void> {
  const key = keys.request(readText(listEntry, 'stack') as StackId, readText(listEntry, 'key'))
  const condition = 'attribute_not_exists(#pk) OR attribute_exists(#ended)'
  const result = await transact(catalogTable, random, [
    { kind: 'remove', key, condition },
    { kind: 'remove', key: keyOfItem(listEntry) },
  ])
  if (!result.isDone) await deleteItem(catalogTable, keyOfItem(listEntry))
}

const digestOf = (json: string): string => createHash('sha256').update(json).digest('hex')

const isSameRequest = (item: Item | undefined, json: string): boolean =>
  item !== undefined && readText(item, 'request') === json

/** Parses the item of a request. Throws RECORD_TOO_NEW, RECORD_DAMAGED. */
function parseRequestItem(stack: StackId, item: Item): RequestRecord {
  const key = readText(item, 'key')
  requireReadableItem('request', { stack, key }, item)
  return parseStoredRequest(stack, {
    key,
    request: readText(item, 'request'),
    end: readText(item, 'ended'),
  })
}
