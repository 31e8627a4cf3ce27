import { z } from 'zod'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import type { InvocationOutcome, OnStreamedAnswer } from './environment.ts'
import { createGatewayReply, type HttpReply, toHttpReply } from './http-payload.ts'
import type { StreamedAnswer } from './runtime-api.ts'

/** The content type of a response that begins with its status and headers. */
const withHead = 'application/vnd.awslambda.http-integration-response'
/** The end of that beginning. */
const divider = Buffer.alloc(8)

const headForm = z.object({
  statusCode: z.int().min(100).max(599).default(200),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  cookies: z.array(z.string()).default([]),
})

/**
 * Returns the response of a function URL in streaming mode: the response as it arrives. For a
 * function that does not stream, has failed or died, it is that of `toHttpReply`. The response is
 * abandoned when the client disconnects. Source: Lambda's documentation of response streaming.
 */
export function streamReply(
  invoke: (streamed: OnStreamedAnswer) => Promise<InvocationOutcome>,
  gone: AbortSignal,
): Promise<HttpReply> {
  const begun = Promise.withResolvers<HttpReply>()
  let isStreamed = false
  const outcome = invoke(answer => {
    isStreamed = true
    if (gone.aborted) answer.abandon()
    gone.addEventListener('abort', answer.abandon, { once: true })
    toStreamedReply(answer).then(begun.resolve, thrown => {
      answer.abandon()
      begun.reject(thrown)
    })
  })
  void outcome.then(over => {
    if (!isStreamed) begun.resolve(toHttpReply(over))
  })
  return begun.promise
}

async function toStreamedReply({ type, body, abandon }: StreamedAnswer): Promise<HttpReply> {
  if (type !== withHead) return { status: 200, headers: { 'content-type': type }, body }
  const pieces = body[Symbol.asyncIterator]()
  let begun: Buffer = Buffer.alloc(0)
  for (let at = -1; at < 0; at = begun.indexOf(divider)) {
    const { done, value } = await pieces.next()
    if (done === true || begun.length > cloudLimits.headBytesMax) {
      abandon()
      return createGatewayReply(502, 'Bad Gateway')
    }
    begun = Buffer.concat([begun, value])
  }
  const at = begun.indexOf(divider)
  const { statusCode, headers, cookies } = headForm.parse(JSON.parse(begun.toString('utf8', 0, at)))
  const named = Object.entries(headers).map(([name, one]) => [name.toLowerCase(), String(one)])
  return {
    status: statusCode,
    headers: {
      ...Object.fromEntries(named),
      ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
    },
    body: readRest(begun.subarray(at + divider.length), pieces),
  }
}

/** Yields the bytes that arrived with the head, and those after it. */
async function* readRest(
  first: Uint8Array,
  pieces: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next())
    yield next.value
}
