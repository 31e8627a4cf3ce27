import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { countWriteUnits } from '../../shared/platform/aws/dynamo/table/item-size.ts'
import type { Counts } from './counts.ts'

/** A recorded request with its response. */
export interface ProxiedRequest {
  readonly service: string
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** The header `x-amz-target`, for services that have it. */
  readonly target: string
  readonly requestBytes: number
  readonly status: number
  readonly responseBytes: number
  /** The body of the response, for services that use JSON; '' for S3. */
  readonly responseText: string
}

/** Billing unit of SQS requests, in bytes. */
const messageChunkBytes = 64 * 1024

const readOperations: ReadonlySet<string> = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan'])
const writeOperations: ReadonlySet<string> = new Set([
  ...['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems'],
])

/**
 * Returns the billed counts of one request. Of the requests that failed, only these are billed:
 * failed conditions of DynamoDB, and requests to S3 with a status below 500, except deletes.
 */
export function countRequest(request: ProxiedRequest): Partial<Counts> {
  if (request.service === 'S3') return countS3Request(request)
  if (request.status >= 500) return {}
  const operation = request.target.split('.').at(-1) ?? ''
  if (request.service === 'DYNAMODB') return countDynamoRequest(operation, request)
  if (request.status >= 400) return {}
  if (request.service === 'SQS') return countSqsRequest(operation, request)
  if (request.service === 'KMS') return { keyRequests: 1 }
  return {}
}

/** Counts a request to S3. Deletes and requests with a server error are free. */
function countS3Request({ method, path, status }: ProxiedRequest): Partial<Counts> {
  if (status >= 500 || method === 'DELETE') return {}
  const isList = method === 'GET' && /[?&]list-type=/.test(path)
  if (isList || method === 'PUT' || method === 'POST') return { puts: 1 }
  return { gets: 1 }
}

function countSqsRequest(operation: string, request: ProxiedRequest): Partial<Counts> {
  // The local cloud sends this operation to check the queue of the long pool. AWS uses free metrics
  // instead.
  if (operation === 'GetQueueAttributes') return {}
  if (operation === 'ReceiveMessage' && !/"Messages":\s*\[\s*\{/.test(request.responseText))
    return { emptyReceives: 1 }
  const bytes = Math.max(request.requestBytes, request.responseBytes)
  return { messages: Math.max(1, Math.ceil(bytes / messageChunkBytes)) }
}

interface DynamoResponse {
  readonly __type?: string
  readonly Item?: Record<string, unknown>
  readonly CancellationReasons?: readonly { readonly Item?: Record<string, unknown> }[]
}

function countDynamoRequest(
  operation: string,
  { status, responseText }: ProxiedRequest,
): Partial<Counts> {
  const isWrite = writeOperations.has(operation)
  if (status >= 400) {
    const response = JSON.parse(responseText === '' ? '{}' : responseText) as DynamoResponse
    return isWrite ? { writes: 1, writeUnits: failedConditionUnitsOf(operation, response) } : {}
  }
  // Large responses are searched without being parsed. The text of an item cannot contain this
  // pattern.
  const capacityMatches = [...responseText.matchAll(/"CapacityUnits":([\d.]+)/g)]
  const sum = capacityMatches.reduce((total, [, units]) => total + Number(units), 0)
  if (isWrite) return { writes: 1, writeUnits: sum }
  if (readOperations.has(operation)) return { reads: 1, readUnits: sum }
  return {}
}

/**
 * Returns the write units of a failed condition: those of the existing item, doubled in a
 * transaction. Other errors cost 0.
 */
function failedConditionUnitsOf(
  operation: string,
  { __type = '', Item, ...response }: DynamoResponse,
): number {
  if (__type.endsWith('ConditionalCheckFailedException')) return countWriteUnits(decodeItem(Item))
  if (operation !== 'TransactWriteItems' || !__type.endsWith('TransactionCanceledException'))
    return 0
  const reasons = response.CancellationReasons ?? []
  return reasons.reduce((sum, reason) => sum + 2 * countWriteUnits(decodeItem(reason.Item)), 0)
}

/** Decodes an item of a response, in which binary attributes are base64. */
function decodeItem(item: Record<string, unknown> = {}): Record<string, AttributeValue> {
  const attributes = Object.entries(item as Record<string, AttributeValue>).map(([name, value]) => {
    const text: unknown = value.B
    return [name, typeof text === 'string' ? { B: Buffer.from(text, 'base64') } : value]
  })
  return Object.fromEntries(attributes) as Record<string, AttributeValue>
}
