import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { writeUnits } from '../../test/sim/model-capacity.ts'
import type { Counts } from './prices.ts'

/** A recorded request with its response. */
export interface PassedRequest {
  readonly service: string
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** The header `x-amz-target`, for services that have it. */
  readonly target: string
  readonly requestBytes: number
  readonly status: number
  readonly answerBytes: number
  /** The bodies, for services that use JSON. */
  readonly requestText: string
  readonly answerText: string
}

/** Billing unit of SQS requests. */
const messageChunkBytes = 64 * 1024

const reading: ReadonlySet<string> = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan'])
const writing: ReadonlySet<string> = new Set([
  ...['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems'],
])

/** Returns the billed counts of one request. Failed conditions are billed, other errors are not. */
export function countRequest(passed: PassedRequest): Partial<Counts> {
  if (passed.service === 'S3') return countObjects(passed)
  if (passed.status >= 500) return {}
  const operation = passed.target.split('.').at(-1) ?? ''
  if (passed.service === 'DYNAMODB') return countUnits(operation, passed)
  if (passed.status >= 400) return {}
  if (passed.service === 'SQS') return countMessages(operation, passed)
  if (passed.service === 'KMS') return { keyRequests: 1 }
  return {}
}

/** Deletes and malformed requests are free. */
function countObjects({ method, path, status }: PassedRequest): Partial<Counts> {
  if (status >= 500 || method === 'DELETE') return {}
  const isList = method === 'GET' && /[?&]list-type=/.test(path)
  if (isList || method === 'PUT' || method === 'POST') return { puts: 1 }
  return { gets: 1 }
}

function countMessages(operation: string, passed: PassedRequest): Partial<Counts> {
  // The local cloud uses this to check the queue of the long pool. AWS uses free metrics instead.
  if (operation === 'GetQueueAttributes') return {}
  if (operation === 'ReceiveMessage' && !/"Messages":\s*\[\s*\{/.test(passed.answerText))
    return { emptyReceives: 1 }
  const bytes = Math.max(passed.requestBytes, passed.answerBytes)
  return { messages: Math.max(1, Math.ceil(bytes / messageChunkBytes)) }
}

interface DynamoAnswer {
  readonly __type?: string
  readonly Item?: Record<string, unknown>
  readonly CancellationReasons?: readonly { readonly Item?: Record<string, unknown> }[]
}

function countUnits(operation: string, { status, answerText }: PassedRequest): Partial<Counts> {
  const isWrite = writing.has(operation)
  if (status >= 400) {
    const answer = JSON.parse(answerText === '' ? '{}' : answerText) as DynamoAnswer
    return isWrite ? { writes: 1, writeUnits: refusedUnitsOf(operation, answer) } : {}
  }
  // Large responses are searched without being parsed. The text of an item cannot contain this
  // pattern.
  const consumed = [...answerText.matchAll(/"CapacityUnits":([\d.]+)/g)]
  const sum = consumed.reduce((all, [, one]) => all + Number(one), 0)
  if (isWrite) return { writes: 1, writeUnits: sum }
  if (reading.has(operation)) return { reads: 1, readUnits: sum }
  return {}
}

/** Returns the units of a failed condition, by the existing item. Other errors cost nothing. */
function refusedUnitsOf(operation: string, { __type = '', Item, ...answer }: DynamoAnswer): number {
  if (__type.endsWith('ConditionalCheckFailedException')) return writeUnits(itemIn(Item))
  if (operation !== 'TransactWriteItems' || !__type.endsWith('TransactionCanceledException'))
    return 0
  const reasons = answer.CancellationReasons ?? []
  return reasons.reduce((sum, one) => sum + 2 * writeUnits(itemIn(one.Item)), 0)
}

/** Returns an item of a response, whose bytes are base64. */
function itemIn(item: Record<string, unknown> = {}): Record<string, AttributeValue> {
  const read = Object.entries(item as Record<string, AttributeValue>).map(([name, value]) => {
    const text: unknown = value.B
    return [name, typeof text === 'string' ? { B: Buffer.from(text, 'base64') } : value]
  })
  return Object.fromEntries(read) as Record<string, AttributeValue>
}
