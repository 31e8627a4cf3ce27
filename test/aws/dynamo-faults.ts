import type { NodeHttpHandler } from '@smithy/node-http-handler'
import { Readable } from 'node:stream'
import { createRequestHandler } from '../../shared/platform/aws/dynamo/table/dynamo-client.ts'
import type { SeededDraw } from '../sim/draw.ts'

/**
 * A fault of one request. `throttled`, `broken`: the request fails with a refusal or a 500, without
 * effect. `slow`: the reply is late.
 */
export type DynamoFaultKind =
  /** A transaction holds the item. The client does not retry. */
  | 'conflict'
  | 'throttled'
  /** A part of a batch is not processed. */
  | 'unprocessed'
  /** The reply is lost after the effect. */
  | 'lost'
  | 'broken'
  | 'slow'

/** One fault of a plan: its kind, its frequency, and the affected API operations. */
export interface DynamoFaultRule {
  readonly kind: DynamoFaultKind
  readonly chance: number
  /** API operations, such as `UpdateItem`; if absent, all. */
  readonly operations?: readonly string[]
  /** Number of requests that the rule strikes; if absent, unlimited. */
  readonly times?: number
}

/** The faults that strike, drawn from a seed. */
export interface DynamoFaultPlan {
  readonly draw: SeededDraw
  readonly rules: readonly DynamoFaultRule[]
  /** Number of faults in a row after which a request is let through. */
  readonly inARowMax: number
}

/** Counters of requests and faults. */
export interface RequestCounters {
  /** Requests by operation; each attempt counts. */
  readonly requests: Map<string, number>
  /** Faults that struck, by kind. */
  readonly faults: Map<DynamoFaultKind, number>
}

type Handle = NodeHttpHandler['handle']
type Request = Parameters<Handle>[0]
type Reply = Awaited<ReturnType<Handle>>
type Send = () => Promise<Reply>

/** Returns the JSON of a request. */
function textOf({ body }: Request): string {
  if (typeof body === 'string') return body
  const { buffer, byteOffset, byteLength } = body as Uint8Array<ArrayBuffer>
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
}

const slowMs = 60

/**
 * The operations that each kind of fault can strike. A transaction conflicts with writes, and only
 * batches can be processed in part.
 */
const canStrike: Readonly<Record<DynamoFaultKind, (operation: string) => boolean>> = {
  conflict: operation => /^(Put|Update|Delete)Item$|^TransactWrite/.test(operation),
  throttled: () => true,
  unprocessed: operation => /^Batch(Get|Write)Item$/.test(operation),
  lost: () => true,
  broken: () => true,
  slow: () => true,
}

/** Creates a request handler that injects faults which emulators never show. */
export function createFaultyHandler(plan: DynamoFaultPlan): {
  readonly handler: NodeHttpHandler
  readonly counters: RequestCounters
} {
  const inner = createRequestHandler()
  const counters: RequestCounters = { requests: new Map(), faults: new Map() }
  const inARow = new Map<string, number>()
  const remainingStrikes = new Map(
    plan.rules.map(rule => [rule, rule.times ?? Number.POSITIVE_INFINITY]),
  )
  const drawFault = (operation: string, body: string): DynamoFaultKind | undefined => {
    const faultsBefore = inARow.get(body) ?? 0
    const rule = plan.rules.find(
      candidate =>
        faultsBefore < plan.inARowMax &&
        (remainingStrikes.get(candidate) ?? 0) > 0 &&
        canStrike[candidate.kind](operation) &&
        candidate.operations?.includes(operation) !== false &&
        plan.draw.chance(candidate.chance),
    )
    if (rule === undefined) {
      inARow.delete(body)
      return undefined
    }
    inARow.set(body, faultsBefore + 1)
    remainingStrikes.set(rule, (remainingStrikes.get(rule) ?? 0) - 1)
    return rule.kind
  }
  const handle: Handle = async (request, options) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? ''
    counters.requests.set(operation, (counters.requests.get(operation) ?? 0) + 1)
    const kind = drawFault(operation, textOf(request))
    const send: Send = () => inner.handle(request, options)
    if (kind === undefined) return send()
    counters.faults.set(kind, (counters.faults.get(kind) ?? 0) + 1)
    return strike(kind, {
      operation,
      request,
      send,
      sendPart: partRequest => inner.handle(partRequest, options),
    })
  }
  const handler = Object.assign(Object.create(inner), { handle }) as NodeHttpHandler
  return { handler, counters }
}

async function strike(
  kind: DynamoFaultKind,
  call: {
    readonly operation: string
    readonly request: Request
    readonly send: Send
    readonly sendPart: (request: Request) => Promise<Reply>
  },
): Promise<Reply> {
  const { operation, request, send } = call
  if (kind === 'conflict') return conflictReply(operation, request)
  if (kind === 'throttled')
    return failureReply(400, {
      __type: 'ProvisionedThroughputExceededException',
      message: 'too fast',
    })
  if (kind === 'broken')
    return failureReply(500, { __type: 'InternalServerError', message: 'a temporary failure' })
  if (kind === 'unprocessed') return sendHalf(request, call.sendPart)
  const reply = await send()
  await new Promise(resolve => setTimeout(resolve, kind === 'slow' ? slowMs : 1))
  if (kind === 'slow') return reply
  reply.response.body?.resume?.()
  throw Object.assign(new Error('the reply was lost'), { name: 'TimeoutError', code: 'ECONNRESET' })
}

function conflictReply(operation: string, request: Request): Reply {
  if (!operation.startsWith('Transact'))
    return failureReply(400, { __type: 'TransactionConflictException', message: 'a conflict' })
  const { TransactItems: items } = JSON.parse(textOf(request)) as { TransactItems: unknown[] }
  const reasons = items.map((_, index) => ({ Code: index === 0 ? 'TransactionConflict' : 'None' }))
  return failureReply(400, {
    __type: 'TransactionCanceledException',
    message: 'Transaction cancelled',
    CancellationReasons: reasons,
  })
}

/** Sends the first half of a batch, and reports the other half as unprocessed. */
async function sendHalf(
  request: Request,
  send: (request: Request) => Promise<Reply>,
): Promise<Reply> {
  const batchRequest = JSON.parse(textOf(request)) as {
    RequestItems: Record<string, unknown[] | { Keys: unknown[] }>
  }
  const [[table, batch] = ['', []]] = Object.entries(batchRequest.RequestItems)
  const allItems = Array.isArray(batch) ? batch : batch.Keys
  const [sentItems, unsentItems] = [
    allItems.slice(0, allItems.length >> 1),
    allItems.slice(allItems.length >> 1),
  ]
  const batchOf = (items: unknown[]): unknown =>
    Array.isArray(batch) ? items : { ...batch, Keys: items }
  const unprocessedKey = Array.isArray(batch) ? 'UnprocessedItems' : 'UnprocessedKeys'
  if (sentItems.length === 0)
    return createReply(200, { [unprocessedKey]: { [table]: batchOf(unsentItems) }, Responses: {} })
  const body = JSON.stringify({ ...batchRequest, RequestItems: { [table]: batchOf(sentItems) } })
  const headers = { ...request.headers, 'content-length': String(Buffer.byteLength(body)) }
  const reply = await send(Object.assign(request.clone(), { body, headers }))
  const chunks: Buffer[] = []
  for await (const chunk of reply.response.body as Readable) chunks.push(Buffer.from(chunk))
  const replyBody = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>
  return createReply(reply.response.statusCode, {
    ...replyBody,
    [unprocessedKey]: { [table]: batchOf(unsentItems) },
  })
}

function failureReply(
  statusCode: number,
  body: { readonly __type: string; readonly [field: string]: unknown },
): Reply {
  const __type = `com.amazonaws.dynamodb.v20120810#${body.__type}`
  return createReply(statusCode, { ...body, __type })
}

function createReply(statusCode: number, body: unknown): Reply {
  const text = JSON.stringify(body)
  const headers = { 'content-type': 'application/x-amz-json-1.0' }
  return { response: { statusCode, headers, body: Readable.from([Buffer.from(text)]) } }
}
