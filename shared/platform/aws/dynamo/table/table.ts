import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { tableKeys } from '../../../../config/aws-resource-names.ts'
import { dynamoLimits as limits } from '../../../../config/dynamo-limits.ts'
import { assert } from '../../../../errors/error.ts'
import type { ClockPort } from '../../../../ports/system.ts'
import { type FailedRequest, createDynamoError } from './dynamo-error.ts'
import { createPlaceholders, simplifyCondition, type PlaceholderValues } from './expressions.ts'
import { type Item, type Key, readNumber } from './item.ts'
import { retryRequest, type RetryDeps, type RetryOutcome } from './retry-request.ts'

/** Dependencies of the DynamoDB adapters. */
export interface DynamoDeps extends RetryDeps {
  readonly client: Pick<DynamoDBClient, 'send'>
  readonly clock: Pick<ClockPort, 'sleep' | 'now'>
  /** The region, for error messages. */
  readonly region: string
}

/** A table, with the dependencies of its requests. */
export interface Table extends DynamoDeps {
  readonly name: string
}

/** A conditional write of one item. */
export interface ItemUpdate {
  readonly key: Key
  readonly updateExpression: string
  readonly condition: string
  readonly values: PlaceholderValues
}

/** The result of a conditional write. `existing`: the current item of a refused write, if any. */
export type WriteResult =
  | { readonly isDone: true; readonly item: Item }
  | { readonly isDone: false; readonly existing: Item | undefined }

/**
 * Reads one item with strong consistency. Returns undefined for an absent item, and for an expired
 * one.
 */
export async function getItem(table: Table, key: Key): Promise<Item | undefined> {
  const command = new GetItemCommand({
    TableName: table.name,
    Key: keyOf(key),
    ConsistentRead: true,
  })
  const { Item: item } = await sendRead(table, 'GetItem', () => table.client.send(command))
  return item === undefined || isExpired(table, item) ? undefined : item
}

/**
 * Reports whether an item exists, by a read without strong consistency. The read may miss a new
 * item, and may still find a removed one. Callers use it only for items that nothing removes
 * meanwhile.
 */
export async function hasItem(table: Table, key: Key): Promise<boolean> {
  const command = new GetItemCommand({ TableName: table.name, Key: keyOf(key) })
  const { Item: item } = await sendRead(table, 'GetItem', () => table.client.send(command))
  return item !== undefined
}

/**
 * Puts an item. With `ifAbsent`, the put is refused if the item exists. A write is sent again when
 * its response was lost. After a refusal, the caller must therefore check whether the existing item
 * is the result of this write.
 */
export async function putItem(
  table: Table,
  put: { readonly key: Key; readonly item: Item; readonly ifAbsent: boolean },
): Promise<WriteResult> {
  const condition = put.ifAbsent ? `attribute_not_exists(#${tableKeys.partition})` : undefined
  const item = { ...put.item, ...keyOf(put.key) }
  const command = new PutItemCommand({
    TableName: table.name,
    Item: item,
    ...(condition === undefined
      ? {}
      : {
          ConditionExpression: condition,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          ...createPlaceholders([condition]),
        }),
  })
  return sendWrite(table, 'PutItem', async () => {
    await table.client.send(command)
    return item
  })
}

/**
 * Updates or creates one item under a condition. `item` in the result is the item after the change.
 */
export function updateItem(table: Table, change: ItemUpdate): Promise<WriteResult> {
  const command = new UpdateItemCommand({
    TableName: table.name,
    Key: keyOf(change.key),
    UpdateExpression: change.updateExpression,
    ConditionExpression: simplifyCondition(change.condition),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    ...createPlaceholders([change.updateExpression, change.condition], change.values),
  })
  return sendWrite(
    table,
    'UpdateItem',
    async () => (await table.client.send(command)).Attributes ?? {},
  )
}

/** Removes one item. With a condition, keeps an item that does not meet it. */
export async function deleteItem(
  table: Table,
  key: Key,
  condition?: Pick<ItemUpdate, 'condition' | 'values'>,
): Promise<void> {
  const command = new DeleteItemCommand({
    TableName: table.name,
    Key: keyOf(key),
    ...(condition === undefined
      ? {}
      : {
          ConditionExpression: condition.condition,
          ...createPlaceholders([condition.condition], condition.values),
        }),
  })
  await sendWrite(table, 'DeleteItem', async () => {
    await table.client.send(command)
    return {}
  })
}

/** A range of items of one partition, in the order of their sort keys. */
export interface ItemRange {
  readonly pk: string
  /**
   * The first possible sort key. Of the four bounds, only `atLeast` and `atMost` can be combined.
   */
  readonly atLeast?: string
  /** The lower bound of the sort keys, which is not in the range itself. */
  readonly after?: string
  /** The last possible sort key. */
  readonly atMost?: string
  /** The prefix of all sort keys. */
  readonly beginsWith?: string
  readonly isBackwards?: boolean
  readonly limit: number
  /** Attributes to read. Absent: all. Fewer attributes do not make the read cheaper. */
  readonly attributes?: readonly string[]
}

/**
 * Reads a range with strong consistency, page by page until `limit`. Expired items are left out.
 */
export async function queryItems(table: Table, range: ItemRange): Promise<readonly Item[]> {
  const items: Item[] = []
  let startKey: Record<string, AttributeValue> | undefined
  for (let page = 0; items.length < range.limit; page += 1) {
    assert(page < limits.pagesMax, `a partition of ${table.name} has more pages than the limit`)
    const command = createQuery(table, range, { startKey, remaining: range.limit - items.length })
    const response = await sendRead(table, 'Query', () => table.client.send(command))
    items.push(...(response.Items ?? []).filter(item => !isExpired(table, item)))
    startKey = response.LastEvaluatedKey
    if (startKey === undefined) break
  }
  return items
}

function createQuery(
  table: Table,
  range: ItemRange,
  page: {
    readonly startKey: Record<string, AttributeValue> | undefined
    readonly remaining: number
  },
): QueryCommand {
  const bounds: readonly (readonly [string, string, string | undefined])[] = [
    ['#sk >= :atLeast', 'atLeast', range.atLeast],
    ['#sk > :after', 'after', range.after],
    ['#sk <= :atMost', 'atMost', range.atMost],
    ['begins_with(#sk, :beginsWith)', 'beginsWith', range.beginsWith],
  ]
  const usedBounds = bounds.filter(([, , value]) => value !== undefined)
  const isBetween = range.atLeast !== undefined && range.atMost !== undefined
  assert(usedBounds.length <= (isBetween ? 2 : 1), 'a range has bounds that cannot be combined')
  const keyConditions = isBetween
    ? ['#sk BETWEEN :atLeast AND :atMost']
    : usedBounds.map(([expression]) => expression)
  const condition = ['#pk = :pk', ...keyConditions].join(' AND ')
  const projection = range.attributes?.map(name => `#${name}`).join(', ')
  const values = { pk: { S: range.pk }, ...Object.fromEntries(usedBounds.map(toQueryValue)) }
  return new QueryCommand({
    TableName: table.name,
    KeyConditionExpression: condition,
    ConsistentRead: true,
    ScanIndexForward: range.isBackwards !== true,
    Limit: page.remaining,
    ...(projection === undefined ? {} : { ProjectionExpression: projection }),
    ...(page.startKey === undefined ? {} : { ExclusiveStartKey: page.startKey }),
    ...createPlaceholders([condition, projection], values),
  })
}

function toQueryValue([, name, value]: readonly [string, string, string | undefined]) {
  return [name, { S: value ?? '' }] as const
}

/** Converts a key to DynamoDB's format. */
export function keyOf({ pk, sk }: Key): Record<string, AttributeValue> {
  return { [tableKeys.partition]: { S: pk }, [tableKeys.sort]: { S: sk } }
}

/** Reports whether an item is expired. DynamoDB may delete an expired item much later. */
export function isExpired({ clock }: Pick<Table, 'clock'>, item: Item): boolean {
  const expirySeconds = readNumber(item, tableKeys.expires)
  return expirySeconds > 0 && expirySeconds * 1000 <= clock.now()
}

/** Sends a read with retries, and throws errors of the catalogue. */
function sendRead<T>(table: Table, operation: string, send: () => Promise<T>): Promise<T> {
  return sendWithRetry(table, operation, async () => ({ kind: 'done', value: await send() }))
}

/** Sends a request with retries, and throws errors of the catalogue. */
export async function sendWithRetry<T>(
  table: Table,
  operation: FailedRequest['operation'],
  attempt: () => Promise<RetryOutcome<T>>,
): Promise<T> {
  try {
    return await retryRequest(table, attempt)
  } catch (thrown) {
    throw createDynamoError(thrown, { table: table.name, operation, region: table.region })
  }
}

/** Sends a write of one item. Returns a refusal when the condition of the write fails. */
function sendWrite(
  table: Table,
  operation: string,
  send: () => Promise<Item>,
): Promise<WriteResult> {
  return sendWithRetry<WriteResult>(table, operation, async () => {
    try {
      return { kind: 'done', value: { isDone: true, item: await send() } }
    } catch (thrown) {
      if (!(thrown instanceof Error) || thrown.name !== 'ConditionalCheckFailedException')
        throw thrown
      const existing = 'Item' in thrown ? (thrown.Item as Item | undefined) : undefined
      return { kind: 'done', value: { isDone: false, existing } }
    }
  })
}
