import * as z from 'zod'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import type { InvocationOutcome, OnStreamedAnswer } from './environment.ts'
import { createMessageReply, type HttpReply, toHttpReply } from './http-payload.ts'
import type { StreamedAnswer } from './runtime-api.ts'

/** The content type of a response that begins with its status and headers. */
const typeWithHead = 'application/vnd.awslambda.http-integration-response'
/** The bytes between the head and the body of such a response. */
const divider = Buffer.alloc(8)

const headForm = z.object({
  statusCode: z.int().min(100).max(599).default(200),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  cookies: z.array(z.string()).default([]),
})

/**
 * Returns the response of a function URL in streaming mode, as soon as its head has arrived. For a
 * function that does not stream, has failed or has died, returns the response of `toHttpReply`. The
 * streamed response is abandoned when the client disconnects. Source: Lambda's documentation of
 * response streaming.
 */
export function streamReply(
  invoke: (onStreamedAnswer: OnStreamedAnswer) => Promise<InvocationOutcome>,
  disconnection: AbortSignal,
): Promise<HttpReply> {
  const firstReply = Promise.withResolvers<HttpReply>()
  let isStreamed = false
  const outcome = invoke(answer => {
    isStreamed = true
    if (disconnection.aborted) answer.abandon()
    disconnection.addEventListener('abort', answer.abandon, { once: true })
    toStreamedReply(answer).then(firstReply.resolve, thrown => {
      answer.abandon()
      firstReply.reject(thrown)
    })
  })
  outcome.then(finalOutcome => {
    if (!isStreamed) firstReply.resolve(toHttpReply(finalOutcome))
  }, firstReply.reject)
  return firstReply.promise
}

async function toStreamedReply({ type, body, abandon }: StreamedAnswer): Promise<HttpReply> {
  if (type !== typeWithHead) return { status: 200, headers: { 'content-type': type }, body }
  const pieces = body[Symbol.asyncIterator]()
  let receivedBytes: Buffer = Buffer.alloc(0)
  for (let dividerIndex = -1; dividerIndex < 0; dividerIndex = receivedBytes.indexOf(divider)) {
    const { done, value } = await pieces.next()
    if (done === true || receivedBytes.length > localCloudLimits.headBytesMax) {
      abandon()
      return createMessageReply(502, 'Bad Gateway')
    }
    receivedBytes = Buffer.concat([receivedBytes, value])
  }
  const dividerIndex = receivedBytes.indexOf(divider)
  const { statusCode, headers, cookies } = headForm.parse(
    JSON.parse(receivedBytes.toString('utf8', 0, dividerIndex)),
  )
  const lowerCaseHeaders = Object.entries(headers).map(([name, headerValue]) => [
    name.toLowerCase(),
    String(headerValue),
  ])
  return {
    status: statusCode,
    headers: {
      ...Object.fromEntries(lowerCaseHeaders),
      ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
    },
    body: readBody(receivedBytes.subarray(dividerIndex + divider.length), pieces),
  }
}

/** Yields the first bytes of the body, which arrived with the head, and then all later bytes. */
async function* readBody(
  firstBytes: Uint8Array,
  pieces: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (firstBytes.length > 0) yield firstBytes
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next())
    yield next.value
}
