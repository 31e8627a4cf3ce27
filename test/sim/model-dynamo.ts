import {
  type BatchGetItemCommandInput,
  type BatchWriteItemCommandInput,
  ConditionalCheckFailedException,
  type DeleteItemCommandInput,
  type DynamoDBClient,
  type GetItemCommandInput,
  type PutItemCommandInput,
  type QueryCommandInput,
  TransactionCanceledException,
  type TransactWriteItemsCommandInput,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb'
import { countWriteUnits, itemBytesOf } from '../../shared/platform/aws/dynamo/table/item-size.ts'
import { type BilledRequest, readUnits } from './model-capacity.ts'
import {
  type RequestPlaceholders,
  checkUsed,
  evaluateCondition,
  createModelValidationError,
  type ModelItem,
  applyUpdate,
} from './model-expressions.ts'
import { createModelTables, type ModelTables } from './model-tables.ts'

/**
 * A model of DynamoDB as far as the adapters use it. Single items are linearizable, conditions are
 * evaluated, and sizes and pages are limited. A transaction with a repeated token has no effect.
 * Every request is atomic.
 */
export interface ModelDynamo {
  /** The client that the adapters receive. */
  readonly client: Pick<DynamoDBClient, 'send'>
  readonly tables: ModelTables
}

/** An item that was put, changed or removed. */
export interface ModelChange {
  readonly table: string
  readonly key: ModelItem
  readonly before: ModelItem | undefined
  readonly after: ModelItem | undefined
}

/** One write of an item, in a single request or a transaction. */
interface Write {
  readonly table: string
  readonly key: ModelItem
  readonly condition: string | undefined
  readonly placeholders: RequestPlaceholders
  readonly expressions: readonly (string | undefined)[]
  readonly after: (before: ModelItem | undefined) => ModelItem | undefined
}

type WriteVerdict =
  | { readonly kind: 'may'; readonly before?: ModelItem; readonly after?: ModelItem }
  | { readonly kind: 'refused'; readonly before?: ModelItem }

interface ConditionalInput {
  readonly TableName?: string | undefined
  readonly ConditionExpression?: string | undefined
  readonly ExpressionAttributeNames?: Record<string, string> | undefined
  readonly ExpressionAttributeValues?: RequestPlaceholders['values']
}

type Answer = Readonly<Record<string, unknown>>
type CommandHandler = (input: never) => Answer

/**
 * Creates an empty model. `bill` receives the cost of each request, and `onChanged` each changed
 * item.
 */
export function createModelDynamo(
  bill: (billed: BilledRequest) => void = () => undefined,
  onChanged: (change: ModelChange) => void = () => undefined,
): ModelDynamo {
  const tables = createModelTables()
  const put: ModelTables['put'] = (table, key, after) => {
    const before = tables.get(table, key)
    tables.put(table, key, after)
    onChanged({ table, key, before, after })
  }
  const tokens = new Set<string>()
  const billRequest = (operation: string, cost: Partial<BilledRequest>): void =>
    bill({ operation, table: '', items: 1, readUnits: 0, writeUnits: 0, ...cost })
  const writeSingle = (operation: string, write: Write): WriteVerdict => {
    const verdict = evaluateWrite(tables, write)
    const units = countWriteUnits(
      verdict.before,
      verdict.kind === 'may' ? verdict.after : undefined,
    )
    billRequest(operation, { table: write.table, writeUnits: units })
    if (verdict.kind === 'refused') throw refusalOf(verdict.before)
    put(write.table, write.key, verdict.after)
    return verdict
  }
  const commands: Readonly<Record<string, CommandHandler>> = {
    CreateTableCommand: ({ TableName = '' }: { readonly TableName?: string }) => {
      tables.create(TableName)
      return {}
    },
    GetItemCommand: (input: GetItemCommandInput) => {
      const { TableName: table = '', Key = {} } = input
      const item = tables.get(table, Key)
      const units = readUnits(
        item === undefined ? 0 : itemBytesOf(item),
        input.ConsistentRead === true,
      )
      billRequest('GetItem', { table, readUnits: units })
      return item === undefined ? {} : { Item: item }
    },
    PutItemCommand: (input: PutItemCommandInput) => {
      writeSingle('PutItem', putOf(input))
      return {}
    },
    DeleteItemCommand: (input: DeleteItemCommandInput) => {
      writeSingle('DeleteItem', { ...writeOf(input, input.Key ?? {}), after: () => undefined })
      return {}
    },
    UpdateItemCommand: (input: UpdateItemCommandInput) => {
      const verdict = writeSingle('UpdateItem', updateOf(input))
      return verdict.kind === 'may' ? { Attributes: verdict.after } : {}
    },
    QueryCommand: (input: QueryCommandInput) => {
      const { answer, bytes } = tables.query(input)
      const units = readUnits(bytes, input.ConsistentRead === true)
      billRequest('Query', {
        table: input.TableName ?? '',
        items: answer.Items.length,
        readUnits: units,
      })
      return { ...answer }
    },
    BatchGetItemCommand: (input: BatchGetItemCommandInput) => {
      const { table, items, units, unprocessed, keys } = tables.batchGet(input)
      billRequest('BatchGetItem', { table, items: keys, readUnits: units })
      return { Responses: { [table]: items }, UnprocessedKeys: unprocessed }
    },
    BatchWriteItemCommand: (input: BatchWriteItemCommandInput) => {
      for (const [table, requests] of Object.entries(input.RequestItems ?? {})) {
        if (requests.length > 25)
          throw createModelValidationError('a batch writes at most 25 items')
        const changes = requests.map(({ PutRequest, DeleteRequest }) => ({
          key: PutRequest?.Item ?? DeleteRequest?.Key ?? {},
          after: PutRequest?.Item,
        }))
        const units = changes.map(change =>
          countWriteUnits(tables.get(table, change.key), change.after),
        )
        const writeUnitsOfAll = units.reduce((sum, itemUnits) => sum + itemUnits, 0)
        billRequest('BatchWriteItem', { table, items: changes.length, writeUnits: writeUnitsOfAll })
        for (const { key, after } of changes) put(table, key, after)
      }
      return { UnprocessedItems: {} }
    },
    TransactWriteItemsCommand: (input: TransactWriteItemsCommandInput) => {
      const token = input.ClientRequestToken
      if (token !== undefined && tokens.has(token)) return {}
      const writes = (input.TransactItems ?? []).map(({ Put, Update, Delete }) => {
        if (Put !== undefined) return putOf(Put)
        if (Update !== undefined) return updateOf(Update)
        return { ...writeOf(Delete ?? {}, Delete?.Key ?? {}), after: () => undefined }
      })
      const verdicts = writes.map(write => evaluateWrite(tables, write))
      requireTransactionSize(verdicts)
      // A transaction costs twice the units of single writes.
      const units = verdicts.reduce(
        (sum, writeVerdict) =>
          sum +
          2 *
            countWriteUnits(
              writeVerdict.before,
              writeVerdict.kind === 'may' ? writeVerdict.after : undefined,
            ),
        0,
      )
      const table = writes[0]?.table ?? ''
      billRequest('TransactWriteItems', { table, items: writes.length, writeUnits: units })
      if (verdicts.some(({ kind }) => kind === 'refused')) throw cancellationOf(verdicts)
      for (const [index, write] of writes.entries()) {
        const verdict = verdicts[index]
        if (verdict?.kind === 'may') put(write.table, write.key, verdict.after)
      }
      if (token !== undefined) tokens.add(token)
      return {}
    },
  }
  const send = async (command: { readonly input: object }): Promise<Answer> => {
    const handler = commands[command.constructor.name]
    if (handler === undefined)
      throw createModelValidationError(`the model does not know ${command.constructor.name}`)
    return copyOf(handler(copyOf(command.input) as never))
  }
  return { client: { send }, tables }
}

/** Copies plain values; `structuredClone` takes ten times as long. Bytes are never modified. */
function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  if (Array.isArray(value)) return value.map(copyOf) as T
  const copy: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) copy[name] = copyOf(field)
  return copy as T
}

function writeOf(input: ConditionalInput, key: ModelItem): Omit<Write, 'after'> {
  const { TableName: table = '', ConditionExpression: condition } = input
  const placeholders = {
    names: input.ExpressionAttributeNames,
    values: input.ExpressionAttributeValues,
  }
  return { table, key, condition, placeholders, expressions: [condition] }
}

function putOf(input: ConditionalInput & { readonly Item: ModelItem | undefined }): Write {
  const { Item: item = {} } = input
  return { ...writeOf(input, item), after: () => item }
}

function updateOf(
  input: ConditionalInput & {
    readonly Key: ModelItem | undefined
    readonly UpdateExpression?: string | undefined
  },
): Write {
  const { Key: key = {}, UpdateExpression: updateExpression = '' } = input
  const write = writeOf(input, key)
  return {
    ...write,
    expressions: [...write.expressions, updateExpression],
    after: before => applyUpdate(updateExpression, write.placeholders, before ?? key),
  }
}

/** Returns the result of a write without applying it. */
function evaluateWrite(tables: ModelTables, write: Write): WriteVerdict {
  checkUsed(write.placeholders, write.expressions)
  const before = tables.get(write.table, write.key)
  const beforeField = before === undefined ? {} : { before }
  if (!evaluateCondition(write.condition, write.placeholders, before ?? {}))
    return { kind: 'refused', ...beforeField }
  const after = write.after(before)
  if (after !== undefined && itemBytesOf(after) > 400 * 1024)
    throw createModelValidationError('Item size has exceeded the maximum allowed size')
  return { kind: 'may', ...beforeField, ...(after === undefined ? {} : { after }) }
}

/** Requires at most 100 writes, and items of at most 4 MB. */
function requireTransactionSize(verdicts: readonly WriteVerdict[]): void {
  const bytes = verdicts.reduce(
    (sum, verdict) => sum + itemBytesOf((verdict.kind === 'may' && verdict.after) || {}),
    0,
  )
  if (verdicts.length > 100 || bytes > 4 * 1024 * 1024)
    throw createModelValidationError('a transaction has too many or too large items')
}

function refusalOf(before: ModelItem | undefined): Error {
  const message = 'The conditional request failed'
  const item = before === undefined ? {} : { Item: structuredClone(before) }
  return new ConditionalCheckFailedException({ message, $metadata: {}, ...item })
}

function cancellationOf(verdicts: readonly WriteVerdict[]): Error {
  return new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: {},
    CancellationReasons: verdicts.map(({ kind, before }) =>
      kind === 'may'
        ? { Code: 'None' }
        : { Code: 'ConditionalCheckFailed', ...(before === undefined ? {} : { Item: before }) },
    ),
  })
}
