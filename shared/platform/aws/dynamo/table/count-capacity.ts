import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { UsageCounts } from '../../../../records/usage.ts'
import type { UsageMeter } from '../../usage-meter.ts'
import { countWriteUnits } from './item-size.ts'

const readCommands: ReadonlySet<string> = new Set([
  ...['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand'],
])
const writeCommands: ReadonlySet<string> = new Set([
  ...['PutItemCommand', 'UpdateItemCommand', 'DeleteItemCommand'],
  ...['BatchWriteItemCommand', 'TransactWriteItemsCommand'],
])

type ItemOfError = Readonly<Record<string, AttributeValue>> | undefined

/** The fields of responses and errors from which the consumed units are counted. */
interface CountedResponse {
  /** The name of an error. Absent in a response. */
  readonly name?: string
  readonly ConsumedCapacity?: ConsumedUnits | readonly ConsumedUnits[]
  readonly Item?: ItemOfError
  readonly CancellationReasons?: readonly { readonly Item?: ItemOfError }[]
}

interface ConsumedUnits {
  readonly CapacityUnits?: number
}

/**
 * Makes a client of DynamoDB count the units that it consumes. Each request then asks DynamoDB to
 * return its consumed capacity. The client makes one attempt per call, so every attempt is counted.
 */
export function meterTableRequests(client: DynamoDBClient, meter: UsageMeter): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async args => {
        const isCounted = readCommands.has(commandName) || writeCommands.has(commandName)
        if (!isCounted) return next(args)
        const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' }
        try {
          const result = await next({ ...args, input })
          meter.add(countUnits(commandName, result.output as CountedResponse))
          return result
        } catch (thrown) {
          meter.add(countRefusedUnits(thrown as CountedResponse))
          throw thrown
        }
      },
    { step: 'initialize', name: 'countUnits' },
  )
}

/** Returns the units of a response. */
export function countUnits(
  commandName: string,
  { ConsumedCapacity = [] }: CountedResponse,
): Partial<UsageCounts> {
  const consumed = [ConsumedCapacity].flat() as readonly ConsumedUnits[]
  const units = consumed.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
  return readCommands.has(commandName) ? { readUnits: units } : { writeUnits: units }
}

/**
 * Returns the units of a failed request. A refused condition costs the write of the existing item,
 * twice in a transaction. Other errors cost nothing.
 */
export function countRefusedUnits(response: CountedResponse): Partial<UsageCounts> {
  if (response.name === 'ConditionalCheckFailedException')
    return { writeUnits: countWriteUnits(response.Item) }
  if (response.name !== 'TransactionCanceledException') return {}
  const reasons = response.CancellationReasons ?? []
  return { writeUnits: reasons.reduce((sum, { Item }) => sum + 2 * countWriteUnits(Item), 0) }
}
