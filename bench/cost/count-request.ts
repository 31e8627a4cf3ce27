import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { writeUnits } from '../../test/sim/model-capacity.ts'
import type { Counts } from './prices.ts'

/** A request with its answer, as they went by. */
export interface PassedRequest {
  readonly service: string
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** `x-amz-target`, of the services that have one. */
  readonly target: string
  readonly requestBytes: number
  readonly status: number
  readonly answerBytes: number
  /** The bodies of the services that speak JSON. */
  readonly requestText: string
  readonly answerText: string
}

/** How much of a message one request to SQS is billed for. */
const messageChunkBytes = 64 * 1024

const reading: ReadonlySet<string> = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan'])
const writing: ReadonlySet<string> = new Set([
  ...['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems'],
])

/** What one request is billed as. Refusals of conditions are billed, other errors are not. */
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

/** Removals are free, and so is what was refused for its form. */
function countObjects({ method, path, status }: PassedRequest): Partial<Counts> {
  if (status >= 500 || method === 'DELETE') return {}
  const isList = method === 'GET' && /[?&]list-type=/.test(path)
  if (isList || method === 'PUT' || method === 'POST') return { puts: 1 }
  return { gets: 1 }
}

function countMessages(operation: string, passed: PassedRequest): Partial<Counts> {
  // So the local cloud sees what waits for its long pool; AWS does by metrics, which are free.
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
  // Answers may be large, and are not read for this: no text of an item can look like it.
  const consumed = [...answerText.matchAll(/"CapacityUnits":([\d.]+)/g)]
  const sum = consumed.reduce((all, [, one]) => all + Number(one), 0)
  if (isWrite) return { writes: 1, writeUnits: sum }
  if (reading.has(operation)) return { reads: 1, readUnits: sum }
  return {}
}

/** What a refused condition costs, by the item that stood there; nothing for other errors. */
function refusedUnitsOf(operation: string, { __type = '', Item, ...answer }: DynamoAnswer): number {
  if (__type.endsWith('ConditionalCheckFailedException')) return writeUnits(itemIn(Item))
  if (operation !== 'TransactWriteItems' || !__type.endsWith('TransactionCanceledException'))
    return 0
  const reasons = answer.CancellationReasons ?? []
  return reasons.reduce((sum, one) => sum + 2 * writeUnits(itemIn(one.Item)), 0)
}

/** An item of an answer: bytes are in base64 there. */
function itemIn(item: Record<string, unknown> = {}): Record<string, AttributeValue> {
  const read = Object.entries(item as Record<string, AttributeValue>).map(([name, value]) => {
    const text: unknown = value.B
    return [name, typeof text === 'string' ? { B: Buffer.from(text, 'base64') } : value]
  })
  return Object.fromEntries(read) as Record<string, AttributeValue>
}
