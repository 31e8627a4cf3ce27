import * as z from 'zod'
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

/**
 * The HTTP response. An iterable body is streamed to the client, and a body of bytes is sent as a
 * whole.
 */
export interface HttpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
}

/** The id, route and time of a request. `timeEpoch` is in ms since 1970. */
export interface HttpRequestContext {
  readonly requestId: string
  readonly routeKey: string
  readonly timeEpoch: number
}

/**
 * The content types whose bodies are passed as text. All other bodies are passed as base64. So is a
 * compressed body of any type, because text cannot contain it.
 */
const textTypePattern = /^(text\/|application\/(json|javascript|xml)\s*(;|$))/i

/**
 * Creates the payload of a request. Source: API Gateway's documentation of HTTP APIs, format 2.0.
 */
export function httpEventOf(request: HttpRequest, context: HttpRequestContext): HttpEvent {
  const { method, target, body, sourceIp } = request
  const queryIndex = target.indexOf('?')
  const path = queryIndex < 0 ? target : target.slice(0, queryIndex)
  const query = queryIndex < 0 ? '' : target.slice(queryIndex + 1)
  // AWS sets `x-forwarded-proto` to the protocol of the client. The local listener has no TLS.
  const allHeaders: Readonly<Record<string, string>> = {
    ...toHeaders(request.rawHeaders),
    'x-forwarded-proto': 'http',
  }
  const { cookie, ...headers } = allHeaders
  const parameters = joinRepeated(new URLSearchParams(query), () => ',')
  const isCompressed = headers['content-encoding'] !== undefined
  const isText = !isCompressed && textTypePattern.test(headers['content-type'] ?? '')
  const text = Buffer.from(body).toString(isText ? 'utf8' : 'base64')
  const domainName = headers['host'] ?? ''
  return {
    version: '2.0',
    routeKey: context.routeKey,
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
      ...context,
      stage: '$default',
      time: formatRequestTime(new Date(context.timeEpoch)),
    },
    ...(body.length === 0 ? {} : { body: text }),
    isBase64Encoded: body.length > 0 && !isText,
  }
}

const monthNames = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'May',
  'Jun',
  'Jul',
  'Aug',
  'Sep',
  'Oct',
  'Nov',
  'Dec',
]

/** Formats a time as HTTP APIs do: `04/Mar/2020:19:03:58 +0000`. */
function formatRequestTime(time: Date): string {
  const [date = '', clock = ''] = time.toISOString().split('T')
  const [year = '', , day = ''] = date.split('-')
  return `${day}/${monthNames[time.getUTCMonth()] ?? ''}/${year}:${clock.slice(0, 8)} +0000`
}

function toHeaders(rawHeaders: readonly string[]): Readonly<Record<string, string>> {
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ''] as const] : [],
  )
  return joinRepeated(pairs, name => (name === 'cookie' ? '; ' : ','))
}

function joinRepeated(
  pairs: Iterable<readonly [string, string]>,
  separatorOf: (name: string) => string,
): Readonly<Record<string, string>> {
  const valuesByName = new Map<string, string>()
  for (const [name, value] of pairs) {
    const previousValue = valuesByName.get(name)
    const separator = separatorOf(name)
    valuesByName.set(
      name,
      previousValue === undefined ? value : `${previousValue}${separator}${value}`,
    )
  }
  return Object.fromEntries(valuesByName)
}

/** The form of a function's result that defines the HTTP response. */
const responseForm = z.object({
  statusCode: z.int().min(100).max(599),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  cookies: z.array(z.string()).default([]),
  body: z.string().default(''),
  isBase64Encoded: z.boolean().default(false),
})

/**
 * Returns the response for the result of a function that does not stream. A result with a
 * `statusCode` defines the response. Any other result becomes a JSON body. As with an HTTP API, the
 * status is 500 for a failed function or an invalid result. It is 503 for an environment that
 * ended, so that clients of the API repeat the request.
 */
export function toHttpReply(outcome: InvocationOutcome): HttpReply {
  if (outcome.kind === 'failed') return createMessageReply(500, 'Internal Server Error')
  if (outcome.kind === 'died') return createMessageReply(503, 'Service Unavailable')
  const value: unknown = JSON.parse(outcome.json)
  const definesResponse = typeof value === 'object' && value !== null && 'statusCode' in value
  if (!definesResponse) return createJsonReply(200, outcome.json)
  const parsedResponse = responseForm.safeParse(value)
  if (!parsedResponse.success) return createMessageReply(500, 'Internal Server Error')
  const { statusCode, headers, cookies, body, isBase64Encoded } = parsedResponse.data
  const lowerCaseHeaders = Object.entries(headers).map(([name, headerValue]) => [
    name.toLowerCase(),
    String(headerValue),
  ])
  return {
    status: statusCode,
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      ...Object.fromEntries(lowerCaseHeaders),
      ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
    },
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  }
}

/** Returns a JSON response with a message, as the gateway itself sends it for errors. */
export function createMessageReply(status: number, message: string): HttpReply {
  return createJsonReply(status, JSON.stringify({ message }))
}

function createJsonReply(status: number, json: string): HttpReply {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(json) }
}
