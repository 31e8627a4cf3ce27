import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { RequestsPort } from '../../../ports/requests.ts'
import type { RandomPort } from '../../../ports/system.ts'
import type { BlobHash, StackId } from '../../../records/ids.ts'
import type { KeptRequest } from '../../../records/request.ts'
import { requestOf, requestText } from '../../records/request-text.ts'
import { always, both, isReadable, isThere } from './expressions.ts'
import { type Item, itemOf, keyIn, number, text } from './item.ts'
import { catalogKeys as keys, paddedTime } from './keys.ts'
import { createRemembered } from './remembered.ts'
import { formatOf, readableItem } from './stored.ts'
import {
  deleteItem,
  getItem,
  putItem,
  queryItems,
  type Table,
  updateItem,
  wasThere,
} from './table.ts'
import { transact } from './transaction.ts'

/** What the queues of stacks are kept with. */
interface Deps {
  readonly catalog: Table
  readonly random: Pick<RandomPort, 'uuid'>
}

/**
 * The queues of stacks in the catalog. A request is there by its key, and once more by its position
 * as long as it waits, so that what waits is found without what has ended. What happens once per
 * request, its putting and its end, changes these together, in one transaction.
 */
export function createRequests(deps: Deps): RequestsPort {
  const { catalog, random } = deps
  const note = createNotes(catalog)
  return {
    put: async request => {
      const { stack, key, at } = request
      const json = requestText(request)
      const known = await getItem(catalog, keys.request(stack, key))
      // What put it before and heard nothing asks again with the very same.
      if (known !== undefined) return isOf(known, json)
      await note(stack)
      const position = await nextPosition(catalog, stack)
      const item = { ...itemOf({ key, request: json }), ...formatOf('request') }
      const own = { ...item, ...itemOf({ at, position }) }
      const done = await transact(catalog, random, [
        { kind: 'put', key: keys.request(stack, key), item: own, ifAbsent: true },
        { kind: 'put', key: keys.waiting(stack, position), item, ifAbsent: true },
      ])
      return done.isDone || isOf(done.refused[0]?.stands, json)
    },
    waiting: async (stack, limit) => {
      const { pk } = keys.lastRequest(stack)
      const items = await queryItems(catalog, { pk, beginsWith: 'waiting ', limit })
      return items.map(item => requestIn(stack, item).request)
    },
    find: async (stack, key) => {
      const item = await getItem(catalog, keys.request(stack, key))
      return item === undefined ? undefined : requestIn(stack, item)
    },
    end: (stack, key, end) => ended(deps, { stack, key, end: JSON.stringify(end) }),
    forget: async (before, limit) => {
      const { pk } = keys.ended(0, '', '')
      const items = await queryItems(catalog, { pk, atMost: paddedTime(before), limit })
      for (let at = 0; at < items.length; at += limits.forgottenAtOnce)
        await Promise.all(
          items.slice(at, at + limits.forgottenAtOnce).map(item => forgotten(deps, item)),
        )
      return items.length
    },
    putProgram: async (stack, archive) => {
      await note(stack)
      await putItem(catalog, {
        key: keys.program(stack),
        item: itemOf({ archive }),
        ifAbsent: false,
      })
    },
    program: async stack => {
      const item = await getItem(catalog, keys.program(stack))
      return item === undefined ? undefined : (text(item, 'archive') as BlobHash)
    },
  }
}

/** Notes a stack among those that asked for something: who looks for references finds it there. */
function createNotes(catalog: Table): (stack: StackId) => Promise<void> {
  const known = createRemembered<true>()
  return async stack => {
    if (known.get(stack) === true) return
    const key = keys.asking(stack)
    if (!(await wasThere(catalog, key))) await putItem(catalog, { key, item: {}, ifAbsent: false })
    known.set(stack, true)
  }
}

/** A number for the next request. Those of requests that came to nothing are left out. */
async function nextPosition(catalog: Table, stack: StackId): Promise<number> {
  const written = await updateItem(catalog, {
    key: keys.lastRequest(stack),
    set: 'ADD #last :one',
    condition: always,
    values: itemOf({ one: 1 }),
  })
  return number((written.isDone ? written.now : written.stands) ?? {}, 'last')
}

async function ended(
  { catalog, random }: Deps,
  about: { readonly stack: StackId; readonly key: string; readonly end: string },
): Promise<boolean> {
  const { stack, key, end } = about
  const item = await getItem(catalog, keys.request(stack, key))
  if (item === undefined) return false
  if (requestIn(stack, item).end !== undefined) return true
  const [at, position] = [number(item, 'at'), number(item, 'position')]
  const change = {
    key: keys.request(stack, key),
    set: 'SET #ended = :ended',
    condition: both(
      both(isThere, isReadable),
      'attribute_not_exists(#ended) AND #position = :position',
    ),
    values: { ...itemOf({ ended: end, position }), ...formatOf('request') },
  }
  const done = await transact(catalog, random, [
    { kind: 'change', change },
    { kind: 'remove', key: keys.waiting(stack, position) },
    // So that it can be forgotten without a look at all others.
    {
      kind: 'put',
      key: keys.ended(at, stack, key),
      item: itemOf({ stack, key }),
      ifAbsent: false,
    },
  ])
  return done.isDone || done.refused[0]?.stands !== undefined
}

/** Takes away a request that has ended, with its line in the list; one that has not stays. */
async function forgotten({ catalog, random }: Deps, line: Item): Promise<void> {
  const key = keys.request(text(line, 'stack') as StackId, text(line, 'key'))
  const condition = 'attribute_not_exists(#pk) OR attribute_exists(#ended)'
  const done = await transact(catalog, random, [
    { kind: 'remove', key, condition },
    { kind: 'remove', key: keyIn(line) },
  ])
  if (!done.isDone) await deleteItem(catalog, keyIn(line))
}

const isOf = (item: Item | undefined, json: string): boolean =>
  item !== undefined && text(item, 'request') === json

/** A request that was read. Throws RECORD_TOO_NEW, RECORD_DAMAGED. */
function requestIn(stack: StackId, item: Item): KeptRequest {
  const key = text(item, 'key')
  readableItem('request', { stack, key }, item)
  return requestOf(stack, { key, request: text(item, 'request'), end: text(item, 'ended') })
}
