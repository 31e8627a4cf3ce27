import {
  type BatchGetItemCommandInput,
  type KeysAndAttributes,
  type QueryCommandInput,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb'
import { itemBytes, readUnits } from './model-capacity.ts'
import { checkUsed, evaluateCondition, invalidError, type ModelItem } from './model-expressions.ts'

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
  readonly found: readonly ModelItem[]
  readonly units: number
  readonly keys: number
  readonly left: Record<string, KeysAndAttributes>
}

/** Tables with `pk` and `sk`, and their reads. */
export interface ModelTables {
  readonly create: (table: string) => void
  readonly get: (table: string, key: ModelItem) => ModelItem | undefined
  /** Puts an item, or removes the existing one. */
  readonly put: (table: string, key: ModelItem, item: ModelItem | undefined) => void
  readonly query: (input: QueryCommandInput) => {
    readonly answer: QueryPage
    readonly bytes: number
  }
  readonly batchGet: (input: BatchGetItemCommandInput) => BatchRead
  /** Returns the items of a partition, ordered by sort key. */
  readonly partition: (table: string, pk: string) => readonly ModelItem[]
  /** Returns all items of a table. */
  readonly all: (table: string) => readonly ModelItem[]
}

type Partitions = Map<string, Map<string, ModelItem>>

/** Creates a model without tables. */
export function createModelTables(): ModelTables {
  const tables = new Map<string, Partitions>()
  const partitionsOf = (table: string): Partitions => {
    const found = tables.get(table)
    if (found !== undefined) return found
    throw new ResourceNotFoundException({ message: `no table ${table}`, $metadata: {} })
  }
  const placeOf = (key: ModelItem): readonly [string, string] => {
    const [pk, sk] = [key['pk']?.S ?? '', key['sk']?.S ?? '']
    if (pk === '' || sk === '') throw invalidError('a key is empty')
    return [pk, sk]
  }
  const get: ModelTables['get'] = (table, key) => {
    const [pk, sk] = placeOf(key)
    return partitionsOf(table).get(pk)?.get(sk)
  }
  return {
    create: table => void tables.set(table, new Map()),
    get,
    put: (table, key, item) => {
      const [pk, sk] = placeOf(key)
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
      if (keys.length > 100) throw invalidError('a batch reads at most 100 items')
      const names = new Set(keys.map(key => placeOf(key).join('\n')))
      if (names.size < keys.length) throw invalidError('a batch names an item twice')
      return batchOf({ table, request, keys }, key => get(table, key))
    },
    partition: (table, pk) =>
      [...(partitionsOf(table).get(pk)?.entries() ?? [])]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, item]) => item),
    all: table => [...partitionsOf(table).values()].flatMap(one => [...one.values()]),
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
  const found: ModelItem[] = []
  let [bytes, units, done] = [0, 0, 0]
  for (const key of keys) {
    const item = get(key)
    const size = item === undefined ? 0 : itemBytes(item)
    if (bytes + size > batchBytesMax) break
    bytes += size
    done += 1
    units += readUnits(size, request?.ConsistentRead === true)
    if (item !== undefined) found.push(projectItem(item, request?.ProjectionExpression, request))
  }
  const rest = keys.slice(done)
  const left = rest.length === 0 ? {} : { [table]: { ...request, Keys: [...rest] } }
  return { table, found, units, keys: done, left }
}

function pageOf(
  input: QueryCommandInput,
  partitions: Partitions,
): { readonly answer: QueryPage; readonly bytes: number } {
  const bound = { names: input.ExpressionAttributeNames, values: input.ExpressionAttributeValues }
  checkUsed(bound, [input.KeyConditionExpression, input.ProjectionExpression])
  if (Object.values(bound.values ?? {}).some(({ S }) => S === ''))
    throw invalidError('a key is compared with an empty text')
  const pk = input.ExpressionAttributeValues?.[':pk']?.S ?? ''
  const isBackwards = input.ScanIndexForward === false
  const order = isBackwards ? -1 : 1
  const all = [...(partitions.get(pk) ?? new Map<string, ModelItem>()).entries()]
    .toSorted(([one], [other]) => (one < other ? -order : order))
    .filter(([, item]) => evaluateCondition(input.KeyConditionExpression, bound, item))
  const from = input.ExclusiveStartKey?.['sk']?.S
  const left = all.filter(([sk]) => from === undefined || (isBackwards ? sk < from : sk > from))
  const page: ModelItem[] = []
  let bytes = 0
  for (const [, item] of left) {
    if (page.length >= (input.Limit ?? Number.POSITIVE_INFINITY) || bytes > pageBytesMax) break
    page.push(item)
    bytes += itemBytes(item)
  }
  const last = page.at(-1)
  const more = page.length < left.length && last !== undefined
  const items = page.map(item => projectItem(item, input.ProjectionExpression, input))
  const end = more ? { LastEvaluatedKey: { pk: last['pk'] ?? {}, sk: last['sk'] ?? {} } } : {}
  return { answer: { Items: items, ...(end as object) }, bytes }
}

function projectItem(
  item: ModelItem,
  expression: string | undefined,
  {
    ExpressionAttributeNames: names = {},
  }: Pick<KeysAndAttributes, 'ExpressionAttributeNames'> = {},
): ModelItem {
  if (expression === undefined) return item
  const only = new Set(expression.split(/\s*,\s*/).map(name => names[name] ?? name))
  return Object.fromEntries(Object.entries(item).filter(([name]) => only.has(name)))
}
