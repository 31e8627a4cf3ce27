import {
  type BatchGetItemCommandInput,
  type KeysAndAttributes,
  type QueryCommandInput,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb'
import { itemBytesOf } from '../../shared/platform/aws/dynamo/table/item-size.ts'
import { readUnits } from './model-capacity.ts'
import {
  checkUsed,
  evaluateCondition,
  createModelValidationError,
  type ModelItem,
} from './model-expressions.ts'

const pageBytesMax = 1024 * 1024
const batchBytesMax = 16 * 1024 * 1024

/** A page of a query. */
interface QueryPage {
  readonly Items: readonly ModelItem[]
  readonly LastEvaluatedKey?: ModelItem
}

/** A batch read, up to the size of one response. */
interface BatchRead {
  readonly table: string
  readonly items: readonly ModelItem[]
  readonly units: number
  /** Number of keys that were read, including those without an item. */
  readonly keys: number
  readonly unprocessed: Record<string, KeysAndAttributes>
}

/** Tables with `pk` and `sk`, and their reads. */
export interface ModelTables {
  readonly create: (table: string) => void
  readonly get: (table: string, key: ModelItem) => ModelItem | undefined
  /** Puts an item. If `item` is undefined, the existing item is removed. */
  readonly put: (table: string, key: ModelItem, item: ModelItem | undefined) => void
  readonly query: (input: QueryCommandInput) => {
    readonly answer: QueryPage
    readonly bytes: number
  }
  readonly batchGet: (input: BatchGetItemCommandInput) => BatchRead
  /** Returns the items of a partition, ordered by sort key. */
  readonly partition: (table: string, pk: string) => readonly ModelItem[]
  /** Returns all items of a table. */
  readonly listItems: (table: string) => readonly ModelItem[]
}

type Partitions = Map<string, Map<string, ModelItem>>

/** Creates a model without tables. */
export function createModelTables(): ModelTables {
  const tables = new Map<string, Partitions>()
  const partitionsOf = (table: string): Partitions => {
    const partitions = tables.get(table)
    if (partitions !== undefined) return partitions
    throw new ResourceNotFoundException({ message: `no table ${table}`, $metadata: {} })
  }
  const keyPartsOf = (key: ModelItem): readonly [string, string] => {
    const [pk, sk] = [key['pk']?.S ?? '', key['sk']?.S ?? '']
    if (pk === '' || sk === '') throw createModelValidationError('a key is empty')
    return [pk, sk]
  }
  const get: ModelTables['get'] = (table, key) => {
    const [pk, sk] = keyPartsOf(key)
    return partitionsOf(table).get(pk)?.get(sk)
  }
  return {
    create: table => void tables.set(table, new Map()),
    get,
    put: (table, key, item) => {
      const [pk, sk] = keyPartsOf(key)
      const partitions = partitionsOf(table)
      const partition = partitions.get(pk) ?? new Map<string, ModelItem>()
      partitions.set(pk, partition)
      if (item === undefined) partition.delete(sk)
      else partition.set(sk, item)
      if (partition.size === 0) partitions.delete(pk)
    },
    query: input => pageOf(input, partitionsOf(input.TableName ?? '')),
    batchGet: input => {
      const [[table, request] = ['', undefined]] = Object.entries(input.RequestItems ?? {})
      const keys = request?.Keys ?? []
      if (keys.length > 100) throw createModelValidationError('a batch reads at most 100 items')
      const names = new Set(keys.map(key => keyPartsOf(key).join('\n')))
      if (names.size < keys.length) throw createModelValidationError('a batch names an item twice')
      return batchOf({ table, request, keys }, key => get(table, key))
    },
    partition: (table, pk) =>
      [...(partitionsOf(table).get(pk)?.entries() ?? [])]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, item]) => item),
    listItems: table =>
      [...partitionsOf(table).values()].flatMap(partition => [...partition.values()]),
  }
}

function batchOf(
  input: {
    readonly table: string
    readonly request: KeysAndAttributes | undefined
    readonly keys: readonly ModelItem[]
  },
  get: (key: ModelItem) => ModelItem | undefined,
): BatchRead {
  const { table, request, keys } = input
  const items: ModelItem[] = []
  let [bytes, units, readCount] = [0, 0, 0]
  for (const key of keys) {
    const item = get(key)
    const size = item === undefined ? 0 : itemBytesOf(item)
    if (bytes + size > batchBytesMax) break
    bytes += size
    readCount += 1
    units += readUnits(size, request?.ConsistentRead === true)
    if (item !== undefined) items.push(projectItem(item, request?.ProjectionExpression, request))
  }
  const unreadKeys = keys.slice(readCount)
  const unprocessed =
    unreadKeys.length === 0 ? {} : { [table]: { ...request, Keys: [...unreadKeys] } }
  return { table, items, units, keys: readCount, unprocessed }
}

function pageOf(
  input: QueryCommandInput,
  partitions: Partitions,
): { readonly answer: QueryPage; readonly bytes: number } {
  const placeholders = {
    names: input.ExpressionAttributeNames,
    values: input.ExpressionAttributeValues,
  }
  checkUsed(placeholders, [input.KeyConditionExpression, input.ProjectionExpression])
  if (Object.values(placeholders.values ?? {}).some(({ S }) => S === ''))
    throw createModelValidationError('a key is compared with an empty text')
  const pk = input.ExpressionAttributeValues?.[':pk']?.S ?? ''
  const isBackwards = input.ScanIndexForward === false
  const order = isBackwards ? -1 : 1
  const matching = [...(partitions.get(pk) ?? new Map<string, ModelItem>()).entries()]
    .toSorted(([one], [other]) => (one < other ? -order : order))
    .filter(([, item]) => evaluateCondition(input.KeyConditionExpression, placeholders, item))
  const startKey = input.ExclusiveStartKey?.['sk']?.S
  const remaining = matching.filter(
    ([sk]) => startKey === undefined || (isBackwards ? sk < startKey : sk > startKey),
  )
  const page: ModelItem[] = []
  let bytes = 0
  for (const [, item] of remaining) {
    if (page.length >= (input.Limit ?? Number.POSITIVE_INFINITY) || bytes > pageBytesMax) break
    page.push(item)
    bytes += itemBytesOf(item)
  }
  const lastItem = page.at(-1)
  const hasMore = page.length < remaining.length && lastItem !== undefined
  const items = page.map(item => projectItem(item, input.ProjectionExpression, input))
  const nextPage = hasMore
    ? { LastEvaluatedKey: { pk: lastItem['pk'] ?? {}, sk: lastItem['sk'] ?? {} } }
    : {}
  return { answer: { Items: items, ...(nextPage as object) }, bytes }
}

function projectItem(
  item: ModelItem,
  expression: string | undefined,
  {
    ExpressionAttributeNames: names = {},
  }: Pick<KeysAndAttributes, 'ExpressionAttributeNames'> = {},
): ModelItem {
  if (expression === undefined) return item
  const projectedNames = new Set(expression.split(/\s*,\s*/).map(name => names[name] ?? name))
  return Object.fromEntries(Object.entries(item).filter(([name]) => projectedNames.has(name)))
}
