import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb'
import { dynamoLimits as limits } from '../../../../config/dynamo-limits.ts'
import { error } from '../../../../errors/error.ts'
import { createPlaceholders } from './expressions.ts'
import { type Item, type Key, keyOfItem } from './item.ts'
import { sendWithRetry, isExpired, keyOf, queryItems, type Range, type Table } from './table.ts'

/**
 * Reads items by key. Each read is strongly consistent, but not all together. Absent and expired
 * items are left out. Throws STORE_UNAVAILABLE when some items stay unread.
 */
export async function getItems(
  table: Table,
  keys: readonly Key[],
  only?: readonly string[],
): Promise<readonly Item[]> {
  const found = await runInRounds(splitIntoPages(keys, limits.itemsPerReadMax), page =>
    getPage(table, page, only),
  )
  return found.flat().filter(item => !isExpired(table, item))
}

/** Removes items by key, in any order. Absent items are ignored. */
export async function deleteItems(table: Table, keys: readonly Key[]): Promise<void> {
  const requests = keys.map(key => ({ DeleteRequest: { Key: keyOf(key) } }))
  await runInRounds(splitIntoPages(requests, limits.itemsPerWriteMax), page =>
    writePage(table, page),
  )
}

/** Removes all items of a range, page by page. */
export async function deleteRange(table: Table, range: Omit<Range, 'limit'>): Promise<void> {
  const page = { ...range, limit: limits.removedAtOnce, only: ['pk', 'sk'] }
  for (;;) {
    const items = await queryItems(table, page)
    await deleteItems(table, items.map(keyOfItem))
    if (items.length < page.limit) return
  }
}

/** Puts items that never change, replacing existing ones. Batches do not support conditions. */
export async function putItems(
  table: Table,
  puts: readonly { readonly key: Key; readonly item: Item }[],
): Promise<void> {
  const requests = puts.map(({ key, item }) => ({
    PutRequest: { Item: { ...item, ...keyOf(key) } },
  }))
  await runInRounds(splitIntoPages(requests, limits.itemsPerWriteMax), page =>
    writePage(table, page),
  )
}

async function getPage(
  table: Table,
  keys: readonly Key[],
  only: readonly string[] | undefined,
): Promise<readonly Item[]> {
  const found: Item[] = []
  const projection = only?.map(name => `#${name}`).join(', ')
  const rest = {
    ConsistentRead: true,
    ...(projection === undefined ? {} : { ProjectionExpression: projection }),
    ...createPlaceholders([projection]),
  }
  let left: Record<string, AttributeValue>[] = keys.map(keyOf)
  await sendWithRetry(table, 'BatchGetItem', async () => {
    const requests = { [table.name]: { Keys: left, ...rest } }
    const answer = await table.client.send(new BatchGetItemCommand({ RequestItems: requests }))
    found.push(...(answer.Responses?.[table.name] ?? []))
    left = answer.UnprocessedKeys?.[table.name]?.Keys ?? []
    return left.length === 0 ? createDone(undefined) : createRetry(left)
  })
  return found
}

async function writePage(table: Table, requests: readonly WriteRequest[]): Promise<void> {
  let left: WriteRequest[] = [...requests]
  await sendWithRetry(table, 'BatchWriteItem', async () => {
    const command = new BatchWriteItemCommand({ RequestItems: { [table.name]: left } })
    const answer = await table.client.send(command)
    left = answer.UnprocessedItems?.[table.name] ?? []
    return left.length === 0 ? createDone(undefined) : createRetry(left)
  })
}

const createDone = <T>(value: T) => ({ kind: 'done', value }) as const

const createRetry = (left: readonly unknown[]) =>
  ({
    kind: 'again',
    why: error('STORE_UNAVAILABLE', `the table did not process ${left.length} items of a batch`),
  }) as const

function splitIntoPages<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  const pages: (readonly T[])[] = []
  for (let at = 0; at < all.length; at += size) pages.push(all.slice(at, at + size))
  return pages
}

/** Runs pages in rounds of limited concurrency. */
async function runInRounds<In, Out>(
  all: readonly In[],
  run: (one: In) => Promise<Out>,
): Promise<readonly Out[]> {
  const results: Out[] = []
  for (const round of splitIntoPages(all, limits.batchesAtOnce))
    results.push(...(await Promise.all(round.map(run))))
  return results
}
