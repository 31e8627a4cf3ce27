import { z } from 'zod'
import type { InvocationOutcome } from './environment.ts'

/** A received HTTP request. */
export interface HttpRequest {
  readonly method: string
  /** Path and query, as sent. */
  readonly target: string
  /** Names and values alternating, as sent. */
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
  readonly sourceIp: string
}

/** The request as Lambda passes it to a function: payload format 2.0. */
export interface HttpEvent {
  readonly version: '2.0'
  readonly routeKey: string
  readonly rawPath: string
  readonly rawQueryString: string
  readonly cookies?: readonly string[]
  /** By lower-case name; repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly queryStringParameters?: Readonly<Record<string, string>>
  readonly requestContext: {
    readonly accountId: string
    readonly apiId: string
    readonly domainName: string
    readonly domainPrefix: string
    readonly http: {
      readonly method: string
      readonly path: string
      readonly protocol: string
      readonly sourceIp: string
      readonly userAgent: string
    }
    readonly requestId: string
    readonly routeKey: string
    readonly stage: string
    readonly time: string
    readonly timeEpoch: number
  }
  readonly body?: string
  readonly isBase64Encoded: boolean
}

/** The HTTP response. A body that is not complete yet is streamed. */
export interface HttpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
}

/** Route and time of a request. */
export interface HttpRequestContext {
  readonly requestId: string
  readonly routeKey: string
  readonly timeEpoch: number
}

/** Content types whose bodies are passed as text; all others are base64. */
const textForm = /^(text\/|application\/(json|javascript|xml)\s*(;|$))/i

/**
 * Creates the payload of a request. Source: API Gateway's documentation of HTTP APIs, format 2.0.
 */
export function httpEventOf(request: HttpRequest, arrival: HttpRequestContext): HttpEvent {
  const { method, target, body, sourceIp } = request
  const at = target.indexOf('?')
  const path = at < 0 ? target : target.slice(0, at)
  const query = at < 0 ? '' : target.slice(at + 1)
  const all = toHeaders(request.rawHeaders)
  const { cookie, ...headers } = all
  const parameters = joinRepeated(new URLSearchParams(query))
  const isText = textForm.test(headers['content-type'] ?? '')
  const text = Buffer.from(body).toString(isText ? 'utf8' : 'base64')
  const domainName = headers['host'] ?? ''
  return {
    version: '2.0',
    routeKey: arrival.routeKey,
    rawPath: path,
    rawQueryString: query,
    ...(cookie === undefined ? {} : { cookies: cookie.split(/;\s*/) }),
    headers,
    ...(query === '' ? {} : { queryStringParameters: parameters }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName,
      domainPrefix: domainName.split('.')[0] ?? '',
      http: {
        method,
        path,
        protocol: 'HTTP/1.1',
        sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      ...arrival,
      stage: '$default',
      time: new Date(arrival.timeEpoch).toISOString(),
    },
    ...(body.length === 0 ? {} : { body: text }),
    isBase64Encoded: body.length > 0 && !isText,
  }
}

function toHeaders(raw: readonly string[]): Readonly<Record<string, string>> {
  const pairs = raw.flatMap((name, at) =>
    at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? ''] as const] : [],
  )
  return joinRepeated(pairs)
}

function joinRepeated(
  pairs: Iterable<readonly [string, string]>,
): Readonly<Record<string, string>> {
  const found = new Map<string, string>()
  for (const [name, value] of pairs) {
    const before = found.get(name)
    const separator = name === 'cookie' ? '; ' : ','
    found.set(name, before === undefined ? value : `${before}${separator}${value}`)
  }
  return Object.fromEntries(found)
}

const answerForm = z.object({
  statusCode: z.int().min(100).max(599),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  cookies: z.array(z.string()).default([]),
  body: z.string().default(''),
  isBase64Encoded: z.boolean().default(false),
})

/**
 * Returns the response for a function's result without streaming. A result with a `statusCode`
 * defines the response; any other becomes its JSON. As with an HTTP API, a failed function is 500,
 * and one that died is 503.
 */
export function toHttpReply(outcome: InvocationOutcome): HttpReply {
  if (outcome.kind === 'failed') return createGatewayReply(500, 'Internal Server Error')
  if (outcome.kind === 'died') return createGatewayReply(503, 'Service Unavailable')
  const value: unknown = JSON.parse(outcome.json)
  const isAnswer = typeof value === 'object' && value !== null && 'statusCode' in value
  if (!isAnswer) return createJsonReply(200, outcome.json)
  const read = answerForm.safeParse(value)
  if (!read.success) return createGatewayReply(500, 'Internal Server Error')
  const { statusCode, headers, cookies, body, isBase64Encoded } = read.data
  const named = Object.entries(headers).map(([name, one]) => [name.toLowerCase(), String(one)])
  return {
    status: statusCode,
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      ...Object.fromEntries(named),
      ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
    },
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  }
}

/** Returns a response of the gateway itself. */
export function createGatewayReply(status: number, message: string): HttpReply {
  return createJsonReply(status, JSON.stringify({ message }))
}

function createJsonReply(status: number, json: string): HttpReply {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(json) }
}
