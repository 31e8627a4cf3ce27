import {
  type BatchGetItemCommandInput,
  type BatchWriteItemCommandInput,
  type GetItemCommandInput,
  type QueryCommandInput,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb'
import type { SeededDraw } from './draw.ts'
import type { DynamoCommand } from './watched-dynamo.ts'

/** Behaviour of DynamoDB that an atomic model does not show. */
export const dynamoEvents = [
  'a write conflicts with a transaction',
  'a transaction conflicts with another',
  'a batch is read in part',
  'a batch is written in part',
  'a page is short',
  'a read returns an older state',
] as const

type DynamoEvent = (typeof dynamoEvents)[number]

/** A function that forwards a request to `send`, or answers it with one of these anomalies. */
export type SendWithAnomalies = (
  command: DynamoCommand,
  send: (command: DynamoCommand) => Promise<unknown>,
) => Promise<unknown>

/**
 * A function that answers a request abnormally. It returns undefined for a request to which the
 * anomaly does not apply.
 */
type Anomaly = (input: {
  readonly command: DynamoCommand
  readonly send: (command: DynamoCommand) => Promise<unknown>
  readonly onEvent: (event: DynamoEvent) => void
}) => Promise<unknown> | undefined

const conflict: Anomaly = ({ onEvent }) => {
  onEvent('a write conflicts with a transaction')
  const exceptionOptions = { message: 'Transaction is ongoing for the item', $metadata: {} }
  return Promise.reject(new TransactionConflictException(exceptionOptions))
}

/** The possible anomaly of each request and its probability, by the name of the command. */
const anomaliesByCommand: Readonly<Record<string, readonly [number, Anomaly]>> = {
  PutItemCommand: [0.02, conflict],
  UpdateItemCommand: [0.02, conflict],
  DeleteItemCommand: [0.02, conflict],
  TransactWriteItemsCommand: [
    0.1,
    ({ onEvent }) => {
      onEvent('a transaction conflicts with another')
      const CancellationReasons = [{ Code: 'TransactionConflict' }]
      const exceptionOptions = {
        message: 'Transaction cancelled',
        $metadata: {},
        CancellationReasons,
      }
      return Promise.reject(new TransactionCanceledException(exceptionOptions))
    },
  ],
  GetItemCommand: [
    0.3,
    ({ command, onEvent }) => {
      const { ConsistentRead } = command.input as GetItemCommandInput
      if (ConsistentRead === true) return undefined
      onEvent('a read returns an older state')
      return Promise.resolve({})
    },
  ],
  QueryCommand: [
    0.1,
    ({ command, send, onEvent }) => {
      const { Limit = 2 } = command.input as QueryCommandInput
      if (Limit < 2) return undefined
      onEvent('a page is short')
      return send(withInput(command, { Limit: Math.min(Limit - 1, 3) }))
    },
  ],
  BatchGetItemCommand: [
    0.2,
    async ({ command, send, onEvent }) => {
      const { RequestItems = {} } = command.input as BatchGetItemCommandInput
      const [first] = Object.entries(RequestItems)
      const [table, batch] = first ?? ['', undefined]
      const keys = batch?.Keys ?? []
      const sentPart = keys.filter((_, index) => index % 2 === 0)
      const deferredPart = keys.filter((_, index) => index % 2 === 1)
      if (deferredPart.length > 0) onEvent('a batch is read in part')
      const answer = await send(
        withInput(command, { RequestItems: { [table]: { ...batch, Keys: sentPart } } }),
      )
      const unprocessed =
        deferredPart.length === 0 ? {} : { [table]: { ...batch, Keys: deferredPart } }
      return { ...(answer as object), UnprocessedKeys: unprocessed }
    },
  ],
  BatchWriteItemCommand: [
    0.2,
    async ({ command, send, onEvent }) => {
      const { RequestItems = {} } = command.input as BatchWriteItemCommandInput
      const [first] = Object.entries(RequestItems)
      const [table, writes] = first ?? ['', []]
      const [sentPart, deferredPart] = [writes.slice(0, 1), writes.slice(1)]
      if (deferredPart.length > 0) onEvent('a batch is written in part')
      await send(withInput(command, { RequestItems: { [table]: sentPart } }))
      return { UnprocessedItems: deferredPart.length === 0 ? {} : { [table]: deferredPart } }
    },
  ],
}

/** Creates the function that sends the requests of one world with their anomalies. */
export function createDynamoAnomalies(
  draw: SeededDraw,
  onEvent: (event: DynamoEvent) => void,
): SendWithAnomalies {
  return (command, send) => {
    const [chance, anomaly] = anomaliesByCommand[command.constructor.name] ?? []
    if (chance === undefined || anomaly === undefined || !draw.chance(chance)) return send(command)
    return anomaly({ command, send, onEvent }) ?? send(command)
  }
}

/** Returns a copy of a request with the fields of `input` replaced. */
function withInput(command: DynamoCommand, input: object): DynamoCommand {
  const copy = Object.create(Object.getPrototypeOf(command) as object) as object
  return Object.assign(copy, { input: { ...command.input, ...input } })
}
