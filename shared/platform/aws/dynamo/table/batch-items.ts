import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb'
import { dynamoLimits as limits } from '../../../../config/dynamo-limits.ts'
import { createError } from '../../../../errors/error.ts'
import { createPlaceholders } from './expressions.ts'
import { type Item, type Key, keyOfItem } from './item.ts'
import type { RetryOutcome } from './retry-request.ts'
import { sendWithRetry, isExpired, keyOf, queryItems, type ItemRange, type Table } from './table.ts'

/**
 * Reads items by key. Each item is read with strong consistency, but not all at the same moment.
 * Absent and expired items are left out. `attributes`: the attributes to read. They must include
 * `expires` if the items can expire. Absent: all. Throws STORE_UNAVAILABLE when some items could
 * not be read.
 */
export async function getItems(
  table: Table,
  keys: readonly Key[],
  attributes?: readonly string[],
): Promise<readonly Item[]> {
  const pages = await runInRounds(splitIntoPages(keys, limits.itemsPerReadMax), page =>
    getPage(table, page, attributes),
  )
  return pages.flat().filter(item => !isExpired(table, item))
}

/** Removes items by key, in any order. Absent items are ignored. */
export async function deleteItems(table: Table, keys: readonly Key[]): Promise<void> {
  const requests = keys.map(key => ({ DeleteRequest: { Key: keyOf(key) } }))
  await runInRounds(splitIntoPages(requests, limits.itemsPerWriteMax), page =>
    writePage(table, page),
  )
}

/**
 * Removes all items of a range, page by page. The read leaves out the attribute `expires`, so that
 * expired items are found and removed too.
 */
export async function deleteRange(table: Table, range: Omit<ItemRange, 'limit'>): Promise<void> {
  const pageRange = { ...range, limit: limits.itemsPerRound, attributes: ['pk', 'sk'] }
  for (;;) {
    const items = await queryItems(table, pageRange)
    await deleteItems(table, items.map(keyOfItem))
    if (items.length < pageRange.limit) return
  }
}

/** Puts items and replaces existing items, because batches do not support conditions. */
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
  attributes: readonly string[] | undefined,
): Promise<readonly Item[]> {
  const items: Item[] = []
  const projection = attributes?.map(name => `#${name}`).join(', ')
  const readOptions = {
    ConsistentRead: true,
    ...(projection === undefined ? {} : { ProjectionExpression: projection }),
    ...createPlaceholders([projection]),
  }
  let remainingKeys: Record<string, AttributeValue>[] = keys.map(keyOf)
  await sendWithRetry(table, 'BatchGetItem', async () => {
    const requests = { [table.name]: { Keys: remainingKeys, ...readOptions } }
    const response = await table.client.send(new BatchGetItemCommand({ RequestItems: requests }))
    items.push(...(response.Responses?.[table.name] ?? []))
    remainingKeys = response.UnprocessedKeys?.[table.name]?.Keys ?? []
    return createBatchOutcome(remainingKeys.length)
  })
  return items
}

async function writePage(table: Table, requests: readonly WriteRequest[]): Promise<void> {
  let remainingRequests: WriteRequest[] = [...requests]
  await sendWithRetry(table, 'BatchWriteItem', async () => {
    const command = new BatchWriteItemCommand({ RequestItems: { [table.name]: remainingRequests } })
    const response = await table.client.send(command)
    remainingRequests = response.UnprocessedItems?.[table.name] ?? []
    return createBatchOutcome(remainingRequests.length)
  })
}

function createBatchOutcome(remainingCount: number): RetryOutcome<undefined> {
  if (remainingCount === 0) return { kind: 'done', value: undefined }
  const message = `the table did not process ${remainingCount} items of a batch`
  return { kind: 'again', reason: createError('STORE_UNAVAILABLE', message) }
}

function splitIntoPages<T>(values: readonly T[], size: number): readonly (readonly T[])[] {
  const pages: (readonly T[])[] = []
  for (let start = 0; start < values.length; start += size)
    pages.push(values.slice(start, start + size))
  return pages
}

/** Passes inputs to `run`, at most `concurrentBatches` at a time. Returns the results in order. */
async function runInRounds<In, Out>(
  inputs: readonly In[],
  run: (input: In) => Promise<Out>,
): Promise<readonly Out[]> {
  const results: Out[] = []
  for (const round of splitIntoPages(inputs, limits.concurrentBatches))
    results.push(...(await Promise.all(round.map(run))))
  return results
}
