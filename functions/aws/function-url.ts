import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Hono } from 'hono'
import * as z from 'zod'

/**
 * The event that Lambda passes for a request to a function URL, in payload format 2.0. Only the
 * fields in use are listed.
 */
const eventForm = z.object({
  rawPath: z.string().default('/'),
  rawQueryString: z.string().default(''),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().optional(),
  isBase64Encoded: z.boolean().default(false),
  requestContext: z.object({
    http: z.object({ method: z.string(), sourceIp: z.string().default('unknown') }),
  }),
})

/** The destination of a streamed response. */
export type ResponseStream = Writable

/** Status and headers that Lambda receives before the body. */
export interface ResponseHead {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
}

/** The context that the app gets with a request: the client address. */
export interface FunctionUrlEnv {
  readonly sourceIp: string
}

/**
 * Returns the request of an event. Cookies are omitted, because no code reads them. Throws zod's
 * errors unchanged, because only the platform creates events.
 */
function parseRequest(event: unknown): {
  readonly request: Request
  readonly env: FunctionUrlEnv
} {
  const { rawPath, rawQueryString, headers, body, isBase64Encoded, requestContext } =
    eventForm.parse(event)
  const { method, sourceIp } = requestContext.http
  // No route depends on the host, so the URL has a placeholder for it.
  const url = new URL('https://function-url.invalid')
  url.pathname = rawPath
  url.search = rawQueryString
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
  const bytes = hasBody ? Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') : undefined
  const request = new Request(url, {
    method,
    headers: Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'cookie'),
    ...(bytes === undefined ? {} : { body: bytes }),
  })
  return { request, env: { sourceIp } }
}

/**
 * Answers one event: passes its request to the app, and streams the app's response. `beginResponse`
 * sends the head and returns the stream for the body. When the client disconnects, the app's body
 * is cancelled. Resolves when the response is sent or its body is cancelled. Rejects when the app's
 * body breaks off. In that case the stream stays open, and Lambda ends it with the error.
 */
export async function answerEvent(
  app: Pick<Hono, 'fetch'>,
  event: unknown,
  beginResponse: (head: ResponseHead) => ResponseStream,
): Promise<void> {
  const { request, env } = parseRequest(event)
  const response = await app.fetch(request, env)
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => name !== 'set-cookie'),
  )
  const stream = beginResponse({ statusCode: response.status, headers })
  const disconnection = new AbortController()
  stream.once('close', () => disconnection.abort())
  stream.on('error', () => disconnection.abort())
  const reader = response.body?.getReader()
  let cancellation: Promise<void> | undefined
  disconnection.signal.addEventListener('abort', () => {
    cancellation = reader?.cancel().catch(() => undefined)
  })
  while (reader !== undefined && !disconnection.signal.aborted) {
    const { done, value } = await reader.read()
    if (done) break
    if (!stream.write(value)) await awaitDrain(stream, disconnection.signal)
  }
  // Lambda suspends the process at the end of the call, so the cancellation must complete before.
  if (disconnection.signal.aborted) return cancellation
  stream.end()
  await finished(stream, { readable: false }).catch(() => undefined)
}

/**
 * Creates the Lambda handler of a function URL for an app, with streamed responses. `runCall` runs
 * each call, and may measure it.
 */
export function createUrlHandler(
  app: Pick<Hono, 'fetch'>,
  runCall: (call: () => Promise<void>) => Promise<void>,
): unknown {
  return awslambda.streamifyResponse((event: unknown, stream: ResponseStream) =>
    runCall(() => answerEvent(app, event, head => awslambda.HttpResponseStream.from(stream, head))),
  )
}

/** The additions of Lambda's Node runtime. Source: Lambda's page on response streaming. */
declare const awslambda: {
  readonly streamifyResponse: <Handler>(handler: Handler) => Handler
  readonly HttpResponseStream: {
    readonly from: (stream: ResponseStream, head: object) => ResponseStream
  }
}

/** Waits until the stream accepts more bytes, or until the client has disconnected. */
function awaitDrain(stream: ResponseStream, disconnection: AbortSignal): Promise<void> {
  if (disconnection.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const finish = (): void => {
      stream.off('drain', finish)
      disconnection.removeEventListener('abort', finish)
      resolve()
    }
    stream.once('drain', finish)
    disconnection.addEventListener('abort', finish)
  })
}
