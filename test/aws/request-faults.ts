import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AwsHandler, AwsService, AwsSettings } from '../../shared/platform/aws/clients.ts'

/**
 * A fault of a request. `throttled`, `broken`: the request fails with a refusal or a 500, without
 * effect. `lost`: the request takes effect, and its response is lost. `late`: the request is sent
 * late. `again`: a receive repeats an earlier response.
 */
export type RequestFaultKind = 'throttled' | 'broken' | 'lost' | 'late' | 'again'

/** A rule: a percentage of the requests of some operations meets a fault. */
export interface RequestFaultRule {
  readonly kind: RequestFaultKind
  /** API operations by name; if absent, all. */
  readonly operations?: readonly string[]
  readonly percent: number
  /**
   * Only the first `attemptsMax` attempts of a call meet the fault. The SDK makes more attempts, so
   * a later one succeeds.
   */
  readonly attemptsMax: number
}

/** Counters of requests and faults. */
export interface FaultCounts {
  /** Requests by API operation; each attempt counts. */
  readonly requests: Map<string, number>
  /** Faults by `<kind> <API operation>`. */
  readonly faults: Map<string, number>
}

type Answer = Awaited<ReturnType<AwsHandler['handle']>>
type Request = Parameters<AwsHandler['handle']>[0]

const lateMs = 120

/** Returns settings whose SQS and S3 clients meet faults, drawn from a seed. */
export function withRequestFaults(
  settings: AwsSettings,
  rules: readonly RequestFaultRule[],
  seed: number,
): { readonly settings: AwsSettings; readonly counts: FaultCounts } {
  const counts: FaultCounts = { requests: new Map(), faults: new Map() }
  const draw = createRandom(seed)
  const replies = new Map<string, string>()
  const wrapHandler = (handler: AwsHandler, service: AwsService): AwsHandler => {
    const handle: AwsHandler['handle'] = async (request, options) => {
      const operation = operationOf(request)
      increment(counts.requests, operation)
      const attempt = Number(
        /attempt=(\d+)/.exec(request.headers['amz-sdk-request'] ?? '')?.[1] ?? 1,
      )
      const rule = rules.find(
        candidate =>
          attempt <= candidate.attemptsMax &&
          (candidate.operations?.includes(operation) ?? true) &&
          draw() * 100 < candidate.percent,
      )
      if (rule === undefined) return handler.handle(request, options)
      increment(counts.faults, `${rule.kind} ${operation}`)
      return applyFault(rule.kind, {
        service,
        request,
        replies,
        sendRequest: () => handler.handle(request, options),
      })
    }
    return {
      handle,
      metadata: handler.metadata,
      destroy: () => handler.destroy(),
      updateHttpClientConfig: (key, value) => handler.updateHttpClientConfig(key, value),
      httpHandlerConfigs: () => handler.httpHandlerConfigs(),
    }
  }
  return { settings: { ...settings, wrapHandler }, counts }
}

async function applyFault(
  kind: RequestFaultKind,
  call: {
    readonly service: AwsService
    readonly request: Request
    /** Bodies of receive responses by request. */
    readonly replies: Map<string, string>
    readonly sendRequest: () => Promise<Answer>
  },
): Promise<Answer> {
  const { service, request, replies, sendRequest } = call
  switch (kind) {
    case 'throttled':
      return service === 'S3'
        ? createAnswer(503, '<Error><Code>SlowDown</Code><Message>slow down</Message></Error>')
        : createAnswer(400, '{"__type":"com.amazonaws.sqs#RequestThrottled","message":"slow down"}')
    case 'broken':
      return service === 'S3'
        ? createAnswer(500, '<Error><Code>InternalError</Code><Message>broken</Message></Error>')
        : createAnswer(500, '{"__type":"InternalFailure","message":"broken"}')
    case 'lost': {
      const { response } = await sendRequest()
      await textOf(response.body)
      throw Object.assign(new Error('the answer was lost'), {
        name: 'TimeoutError',
        code: 'ECONNRESET',
      })
    }
    case 'late':
      await sleep(lateMs)
      return sendRequest()
    case 'again': {
      const earlierReply = replies.get(String(request.path) + String(request.body))
      if (earlierReply !== undefined) return createAnswer(200, earlierReply)
      const { response } = await sendRequest()
      const text = await textOf(response.body)
      if (text.includes('"Messages"'))
        replies.set(String(request.path) + String(request.body), text)
      return { response: Object.assign(response, { body: Readable.from([text]) }) }
    }
  }
}

/** Returns the API operation of a request. */
function operationOf({ method, headers, query }: Request): string {
  const target = headers['x-amz-target']
  if (target !== undefined) return target.slice(target.indexOf('.') + 1)
  if (method === 'GET') return query?.['list-type'] === undefined ? 'GetObject' : 'ListObjectsV2'
  if (method === 'PUT')
    return headers['x-amz-copy-source'] === undefined ? 'PutObject' : 'CopyObject'
  return method === 'HEAD' ? 'HeadObject' : 'DeleteObject'
}

function createAnswer(statusCode: number, text: string): Answer {
  const headers = {
    'content-type': text.startsWith('<') ? 'application/xml' : 'application/x-amz-json-1.0',
  }
  const response = { statusCode, headers, body: Readable.from([text]), reason: undefined }
  return { response: response as unknown as Answer['response'] }
}

async function textOf(body: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** Returns random numbers in [0, 1) from a seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
