import { apiLimits } from '../../shared/config/api-limits.ts'
import { error, messageOf } from '../../shared/errors/error.ts'
import { type ApiClient, isTransient, pauseBefore } from './api-client.ts'

/** A message of a stream of the API. */
export interface StreamedMessage {
  readonly event: string
  readonly data: unknown
}

/**
 * Yields the messages of a stream up to its `end`, each once. When the connection breaks or reaches
 * the API's time limit, the stream continues after the last complete message. Throws
 * API_UNREACHABLE after several consecutive failures, and the errors of the API.
 */
export async function* followStream(
  client: Pick<ApiClient, 'open'>,
  path: string,
): AsyncGenerator<StreamedMessage> {
  let lastId = ''
  let failures = 0
  for (;;) {
    try {
      const response = await client.open(path, lastId === '' ? {} : { 'last-event-id': lastId })
      for await (const message of readMessages(response)) {
        failures = 0
        if (message.id !== '') lastId = message.id
        if (message.event === 'again') break
        yield message
        if (message.event === 'end') return
      }
    } catch (thrown) {
      failures += 1
      if (!isTransient(thrown) || failures >= apiLimits.callAttemptsMax) throw thrown
      await pauseBefore(failures, thrown)
    }
  }
}

/** Yields the messages of one connection. Throws API_UNREACHABLE when it breaks. */
async function* readMessages(
  response: Response,
): AsyncGenerator<StreamedMessage & { readonly id: string }> {
  if (response.body === null) return
  const decoder = new TextDecoder()
  let pendingText = ''
  try {
    for await (const chunk of response.body) {
      pendingText += decoder.decode(chunk, { stream: true })
      for (let end = pendingText.indexOf('\n\n'); end >= 0; end = pendingText.indexOf('\n\n')) {
        const message = parseMessage(pendingText.slice(0, end))
        pendingText = pendingText.slice(end + 2)
        if (message !== undefined) yield message
      }
    }
  } catch (cause) {
    throw error(
      'API_UNREACHABLE',
      `the connection of the event stream broke: ${messageOf(cause)}`,
      { cause },
    )
  }
  // The connection ended without a final message, so its server is gone.
  throw error('API_UNREACHABLE', 'the event stream ended unexpectedly')
}

function parseMessage(block: string): (StreamedMessage & { readonly id: string }) | undefined {
  const fields = new Map(
    block.split('\n').map(line => {
      const separator = line.indexOf(': ')
      return [line.slice(0, separator), line.slice(separator + 2)] as const
    }),
  )
  const data = fields.get('data')
  if (data === undefined) return undefined
  return { id: fields.get('id') ?? '', event: fields.get('event') ?? '', data: JSON.parse(data) }
}
