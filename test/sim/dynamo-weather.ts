import {
  type BatchGetItemCommandInput,
  type BatchWriteItemCommandInput,
  type GetItemCommandInput,
  type QueryCommandInput,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb'
import type { Draw } from './draw.ts'
import type { Command } from './dynamo-watch.ts'

/** What DynamoDB may do to any request and a model in one moment does not. */
export const dynamoEvents = [
  'a write meets a transaction',
  'a transaction meets another',
  'a batch is read in part',
  'a batch is written in part',
  'a page is short',
  'a read is of a moment ago',
] as const

type DynamoEvent = (typeof dynamoEvents)[number]

/** Answers a request in the place of the service, or with less than all of it. */
export type Weather = (
  command: Command,
  send: (command: Command) => Promise<unknown>,
) => Promise<unknown>

type Row = (about: {
  readonly command: Command
  readonly send: (command: Command) => Promise<unknown>
  readonly happened: (what: DynamoEvent) => void
}) => Promise<unknown> | undefined

const conflict: Row = ({ happened }) => {
  happened('a write meets a transaction')
  const about = { message: 'Transaction is ongoing for the item', $metadata: {} }
  return Promise.reject(new TransactionConflictException(about))
}

/** By kind of request: what may happen to it, and how often it does. */
const rows: Readonly<Record<string, readonly [number, Row]>> = {
  PutItemCommand: [0.02, conflict],
  UpdateItemCommand: [0.02, conflict],
  DeleteItemCommand: [0.02, conflict],
  TransactWriteItemsCommand: [
    0.1,
    ({ happened }) => {
      happened('a transaction meets another')
      const CancellationReasons = [{ Code: 'TransactionConflict' }]
      const about = { message: 'Transaction cancelled', $metadata: {}, CancellationReasons }
      return Promise.reject(new TransactionCanceledException(about))
    },
  ],
  GetItemCommand: [
    0.3,
    ({ command, happened }) => {
      const { ConsistentRead } = command.input as GetItemCommandInput
      if (ConsistentRead === true) return undefined
      happened('a read is of a moment ago')
      return Promise.resolve({})
    },
  ],
  QueryCommand: [
    0.1,
    ({ command, send, happened }) => {
      const { Limit = 2 } = command.input as QueryCommandInput
      if (Limit < 2) return undefined
      happened('a page is short')
      return send(changed(command, { Limit: Math.min(Limit - 1, 3) }))
    },
  ],
  BatchGetItemCommand: [
    0.2,
    async ({ command, send, happened }) => {
      const { RequestItems = {} } = command.input as BatchGetItemCommandInput
      const [first] = Object.entries(RequestItems)
      const [table, asked] = first ?? ['', undefined]
      const keys = asked?.Keys ?? []
      const now = keys.filter((_, at) => at % 2 === 0)
      const later = keys.filter((_, at) => at % 2 === 1)
      if (later.length > 0) happened('a batch is read in part')
      const answer = await send(
        changed(command, { RequestItems: { [table]: { ...asked, Keys: now } } }),
      )
      const left = later.length === 0 ? {} : { [table]: { ...asked, Keys: later } }
      return { ...(answer as object), UnprocessedKeys: left }
    },
  ],
  BatchWriteItemCommand: [
    0.2,
    async ({ command, send, happened }) => {
      const { RequestItems = {} } = command.input as BatchWriteItemCommandInput
      const [first] = Object.entries(RequestItems)
      const [table, asked] = first ?? ['', []]
      const [now, later] = [asked.slice(0, 1), asked.slice(1)]
      if (later.length > 0) happened('a batch is written in part')
      await send(changed(command, { RequestItems: { [table]: now } }))
      return { UnprocessedItems: later.length === 0 ? {} : { [table]: later } }
    },
  ],
}

/** The weather of one world. */
export function createWeather(draw: Draw, happened: (what: DynamoEvent) => void): Weather {
  return (command, send) => {
    const [chance, row] = rows[command.constructor.name] ?? []
    if (chance === undefined || row === undefined || !draw.chance(chance)) return send(command)
    return row({ command, send, happened }) ?? send(command)
  }
}

/** The same request with another input. */
function changed(command: Command, input: object): Command {
  const same = Object.create(Object.getPrototypeOf(command) as object) as object
  return Object.assign(same, { input: { ...command.input, ...input } })
}
