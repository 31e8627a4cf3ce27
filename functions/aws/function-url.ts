import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Hono } from 'hono'
import { z } from 'zod'

/** What Lambda hands over of a request to a function URL, as far as it is read: format 2.0. */
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

/** Where an answer is streamed to. */
export type AnswerStream = Writable

/** What Lambda is told of an answer before its body. */
export interface AnswerHead {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
}

/** What the app finds beside a request: where it comes from. */
export interface FunctionUrlEnv {
  readonly sourceIp: string
}

/**
 * The request of an event. Cookies are left out, as nothing here reads any. Throws what zod throws:
 * only the platform calls such a function.
 */
function parseRequest(event: unknown): {
  readonly request: Request
  readonly env: FunctionUrlEnv
} {
  const { rawPath, rawQueryString, headers, body, isBase64Encoded, requestContext } =
    eventForm.parse(event)
  const { method, sourceIp } = requestContext.http
  // What a caller says of the host decides nothing.
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
 * Answers one event with what the app answers, streamed as it comes; `begin` tells Lambda the head
 * and gives the stream for the body. When the reader is gone the app's body is cancelled. Resolves
 * when all is sent or the reader is gone. Rejects when the app's body breaks off, and leaves the
 * stream as it is: Lambda ends it with the error.
 */
export async function answerEvent(
  app: Pick<Hono, 'fetch'>,
  event: unknown,
  beginResponse: (head: AnswerHead) => AnswerStream,
): Promise<void> {
  const { request, env } = parseRequest(event)
  const response = await app.fetch(request, env)
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => name !== 'set-cookie'),
  )
  const stream = beginResponse({ statusCode: response.status, headers })
  const gone = new AbortController()
  stream.once('close', () => gone.abort())
  stream.on('error', () => gone.abort())
  const reader = response.body?.getReader()
  gone.signal.addEventListener('abort', () => void reader?.cancel().catch(() => undefined))
  while (reader !== undefined && !gone.signal.aborted) {
    const { done, value } = await reader.read()
    if (done) break
    if (!stream.write(value)) await awaitDrain(stream, gone.signal)
  }
  if (gone.signal.aborted) return
  stream.end()
  await finished(stream, { readable: false }).catch(() => undefined)
}

/** Until more may be written, or nobody reads any more. */
function awaitDrain(stream: AnswerStream, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const finish = (): void => {
      stream.off('drain', finish)
      gone.removeEventListener('abort', finish)
      resolve()
    }
    stream.once('drain', finish)
    gone.addEventListener('abort', finish)
  })
}
