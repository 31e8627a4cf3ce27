import { apiLimits } from '../../shared/config/api-limits.ts'
import { createError, messageOf } from '../../shared/errors/error.ts'
import {
  type ApiClient,
  isTransientFailure,
  originOf,
  parseResponse,
  pauseBeforeRetry,
} from './api-client.ts'

/** A message of a stream of the API. */
export interface StreamedMessage {
  readonly event: string
  readonly data: unknown
}

/**
 * Yields the messages of a stream, up to and including the message with the event `end`. Messages
 * with an id are yielded once; others may repeat after a reconnect. When the connection breaks or
 * reaches the API's time limit, the stream continues after the last complete message. Throws
 * API_UNREACHABLE after several consecutive failures, API_ANSWER_UNKNOWN, and the API's errors.
 */
export async function* followStream(
  client: Pick<ApiClient, 'openStream'>,
  path: string,
): AsyncGenerator<StreamedMessage> {
  let lastId = ''
  let failureCount = 0
  for (;;) {
    try {
      const response = await client.openStream(
        path,
        lastId === '' ? {} : { 'last-event-id': lastId },
      )
      for await (const message of readMessages(response)) {
        failureCount = 0
        if (message.id !== '') lastId = message.id
        // The stream reached its maximum duration: reconnect.
        if (message.event === 'again') break
        yield message
        if (message.event === 'end') return
      }
    } catch (thrown) {
      failureCount += 1
      if (!isTransientFailure(thrown) || failureCount >= apiLimits.callAttemptsMax) throw thrown
      await pauseBeforeRetry(failureCount, thrown)
    }
  }
}

/**
 * Yields the messages of one connection. Throws API_UNREACHABLE when it breaks or ends early, and
 * API_ANSWER_UNKNOWN.
 */
async function* readMessages(
  response: Response,
): AsyncGenerator<StreamedMessage & { readonly id: string }> {
  for await (const block of readBlocks(response)) {
    const message = parseMessage(originOf(response), block)
    if (message !== undefined) yield message
  }
}

/** Yields the text of each message. Throws API_UNREACHABLE when the connection breaks or ends. */
async function* readBlocks(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pendingText = ''
  try {
    for await (const chunk of response.body ?? []) {
      pendingText += decoder.decode(chunk, { stream: true })
      for (let end = pendingText.indexOf('\n\n'); end >= 0; end = pendingText.indexOf('\n\n')) {
        const block = pendingText.slice(0, end)
        pendingText = pendingText.slice(end + 2)
        yield block
      }
    }
  } catch (cause) {
    throw createError(
      'API_UNREACHABLE',
      `the connection of the event stream broke: ${messageOf(cause)}`,
      { cause },
    )
  }
  // The connection ended without a final message, so its server is gone.
  throw createError('API_UNREACHABLE', 'the event stream ended unexpectedly')
}

function parseMessage(
  origin: string,
  block: string,
): (StreamedMessage & { readonly id: string }) | undefined {
  const fields = new Map(
    block.split('\n').map(line => {
      const separator = line.indexOf(': ')
      return [line.slice(0, separator), line.slice(separator + 2)] as const
    }),
  )
  const data = fields.get('data')
  if (data === undefined) return undefined
  const [id = '', event = ''] = [fields.get('id'), fields.get('event')]
  return { id, event, data: parseResponse(origin, data) }
}
