import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { RequestsPort } from '../../../ports/requests.ts'
import type { RandomPort } from '../../../ports/system.ts'
import type { BlobHash, StackId } from '../../../records/ids.ts'
import type { KeptRequest } from '../../../records/request.ts'
import { parseStoredRequest, serializeRequest } from '../../records/request-text.ts'
import { always, andConditions, isReadable, isThere } from './table/expressions.ts'
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
import { transact } from './table/transaction.ts'

/** Dependencies of the request queues. */
interface RequestsDeps {
  readonly catalogTable: Table
  readonly random: Pick<RandomPort, 'uuid'>
}

/**
 * Creates the request queues of stacks in the catalog. A request is stored by key and, while it
 * waits, also by position. Waiting requests are therefore found without the ended ones. The put and
 * the end of a request change both items in one transaction.
 */
export function createRequests(deps: RequestsDeps): RequestsPort {
  const { catalogTable, random } = deps
  const note = createStackNotes(catalogTable)
  return {
    put: async request => {
      const { stack, key, at } = request
      const json = serializeRequest(request)
      const known = await getItem(catalogTable, keys.request(stack, key))
      // A caller whose put got no response repeats exactly the same request.
      if (known !== undefined) return isSameRequest(known, json)
      await note(stack)
      const position = await takeNextPosition(catalogTable, stack)
      const item = { ...toItem({ key, request: json }), ...formatAttributeOf('request') }
      const own = { ...item, ...toItem({ at, position }) }
      const done = await transact(catalogTable, random, [
        { kind: 'put', key: keys.request(stack, key), item: own, ifAbsent: true },
        { kind: 'put', key: keys.waiting(stack, position), item, ifAbsent: true },
      ])
      return done.isDone || isSameRequest(done.refused[0]?.existing, json)
    },
    listWaiting: async (stack, limit) => {
      const { pk } = keys.lastRequest(stack)
      const items = await queryItems(catalogTable, { pk, beginsWith: 'waiting ', limit })
      return items.map(item => parseRequestItem(stack, item).request)
    },
    find: async (stack, key) => {
      const item = await getItem(catalogTable, keys.request(stack, key))
      return item === undefined ? undefined : parseRequestItem(stack, item)
    },
    end: (stack, key, end) => endRequest(deps, { stack, key, end: JSON.stringify(end) }),
    forget: async (before, limit) => {
      const { pk } = keys.ended(0, '', '')
      const items = await queryItems(catalogTable, { pk, atMost: padTime(before), limit })
      for (let at = 0; at < items.length; at += limits.forgottenAtOnce)
        await Promise.all(
          items.slice(at, at + limits.forgottenAtOnce).map(item => forgetRequest(deps, item)),
        )
      return items.length
    },
    putProgram: async (stack, archive) => {
      await note(stack)
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

/** Records that a stack has requests, so that the search for references finds it. */
function createStackNotes(catalogTable: Table): (stack: StackId) => Promise<void> {
  const known = createLruCache<true>()
  return async stack => {
    if (known.get(stack) === true) return
    const key = keys.asking(stack)
    if (!(await hasItem(catalogTable, key)))
      await putItem(catalogTable, { key, item: {}, ifAbsent: false })
    known.set(stack, true)
  }
}

/** Returns the position of the next request. Positions of failed puts stay unused. */
async function takeNextPosition(catalogTable: Table, stack: StackId): Promise<number> {
  const written = await updateItem(catalogTable, {
    key: keys.lastRequest(stack),
    set: 'ADD #last :one',
    condition: always,
    values: toItem({ one: 1 }),
  })
  return readNumber((written.isDone ? written.item : written.existing) ?? {}, 'last')
}

async function endRequest(
  { catalogTable, random }: RequestsDeps,
  input: { readonly stack: StackId; readonly key: string; readonly end: string },
): Promise<boolean> {
  const { stack, key, end } = input
  const item = await getItem(catalogTable, keys.request(stack, key))
  if (item === undefined) return false
  if (parseRequestItem(stack, item).end !== undefined) return true
  const [at, position] = [readNumber(item, 'at'), readNumber(item, 'position')]
  const change = {
    key: keys.request(stack, key),
    set: 'SET #ended = :ended',
    condition: andConditions(
      andConditions(isThere, isReadable),
      'attribute_not_exists(#ended) AND #position = :position',
    ),
    values: { ...toItem({ ended: end, position }), ...formatAttributeOf('request') },
  }
  const done = await transact(catalogTable, random, [
    { kind: 'change', change },
    { kind: 'remove', key: keys.waiting(stack, position) },
    // This item lets retention find the ended request without reading all others.
    {
      kind: 'put',
      key: keys.ended(at, stack, key),
      item: toItem({ stack, key }),
      ifAbsent: false,
    },
  ])
  return done.isDone || done.refused[0]?.existing !== undefined
}

/** Removes an ended request with its list entry. A request that has not ended stays. */
async function forgetRequest({ catalogTable, random }: RequestsDeps, line: Item): Promise<void> {
  const key = keys.request(readText(line, 'stack') as StackId, readText(line, 'key'))
  const condition = 'attribute_not_exists(#pk) OR attribute_exists(#ended)'
  const done = await transact(catalogTable, random, [
    { kind: 'remove', key, condition },
    { kind: 'remove', key: keyOfItem(line) },
  ])
  if (!done.isDone) await deleteItem(catalogTable, keyOfItem(line))
}

const isSameRequest = (item: Item | undefined, json: string): boolean =>
  item !== undefined && readText(item, 'request') === json

/** Parses the item of a request. Throws RECORD_TOO_NEW, RECORD_DAMAGED. */
function parseRequestItem(stack: StackId, item: Item): KeptRequest {
  const key = readText(item, 'key')
  requireReadableItem('request', { stack, key }, item)
  return parseStoredRequest(stack, {
    key,
    request: readText(item, 'request'),
    end: readText(item, 'ended'),
  })
}
