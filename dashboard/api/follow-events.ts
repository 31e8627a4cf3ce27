import { type ApiFailure, createUnreachableFailure, toFailure } from './api-failure.ts'
import type { DashboardClient } from './dashboard-client.ts'
import { createStreamParser, type EventStreamMessage } from './stream-messages.ts'

/** The state of the connection of a stream. */
export type StreamConnection =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  /** The connection broke. The stream tries again by itself. */
  | { readonly kind: 'broken'; readonly failure: ApiFailure }
  /** The API refused the stream, which does not try again. */
  | { readonly kind: 'refused'; readonly failure: ApiFailure }
  | { readonly kind: 'ended' }

/** The callbacks of a stream, the signal that ends it, and the function with which it waits. */
export interface StreamReceiver {
  readonly signal: AbortSignal
  readonly onMessage: (message: EventStreamMessage) => void
  readonly onConnection: (connection: StreamConnection) => void
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The pauses before reconnections in ms. The last one repeats. */
const pausesMs = [250, 500, 1_000, 2_000, 5_000] as const
/** The API sends a heartbeat every ten seconds, so a longer silence is a broken connection. */
const silenceMaxMs = 25_000

/**
 * Follows an event stream to its end, or until the signal is aborted. After a broken connection the
 * stream continues after the last message, so that no message is missing or repeated.
 */
export async function followEvents(
  client: Pick<DashboardClient, 'openStream'>,
  path: string,
  receiver: StreamReceiver,
): Promise<void> {
  const { signal, onConnection } = receiver
  const position = { lastId: '', failureCount: 0 }
  onConnection({ kind: 'connecting' })
  while (!signal.aborted)
    try {
      const lastEvent = await readConnection(client, path, { ...receiver, position })
      if (lastEvent === 'end') return onConnection({ kind: 'ended' })
      if (lastEvent !== 'again') throw createUnreachableFailure()
    } catch (thrown) {
      if (signal.aborted) return
      const failure = toFailure(thrown)
      if (isPermanent(failure)) return onConnection({ kind: 'refused', failure })
      onConnection({ kind: 'broken', failure })
      await receiver.wait(
        pausesMs[position.failureCount] ?? pausesMs[pausesMs.length - 1] ?? 0,
        signal,
      )
      position.failureCount = Math.min(position.failureCount + 1, pausesMs.length - 1)
    }
}

/** Reports whether the API refused the request itself, so that a repetition has the same result. */
function isPermanent({ status }: ApiFailure): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

/**
 * Reads one connection to its end. Returns the event of its last message that is no heartbeat, or
 * '' without such a message. After `again` the client reconnects immediately, after `end` never.
 */
async function readConnection(
  client: Pick<DashboardClient, 'openStream'>,
  path: string,
  options: StreamReceiver & { readonly position: { lastId: string; failureCount: number } },
): Promise<string> {
  const { onMessage, onConnection, position } = options
  const silence = new AbortController()
  const signal = AbortSignal.any([options.signal, silence.signal])
  /** Waits for a promise. Breaks the connection after `silenceMaxMs`. */
  const limitSilence = async <Result>(response: Promise<Result>): Promise<Result> => {
    const timer = new AbortController()
    void options.wait(silenceMaxMs, timer.signal).then(() => {
      if (!timer.signal.aborted) silence.abort(createUnreachableFailure())
    })
    return response.finally(() => timer.abort())
  }
  const openOptions = { lastId: position.lastId, signal }
  const body = await limitSilence(client.openStream(path, openOptions))
  onConnection({ kind: 'open' })
  const reader = body.pipeThrough(new TextDecoderStream() as ByteDecoder).getReader()
  const parser = createStreamParser()
  let lastEvent = ''
  for (;;) {
    const { done, value } = await limitSilence(reader.read())
    if (done) return lastEvent
    for (const message of parser.push(value)) {
      position.failureCount = 0
      if (message.id !== '') position.lastId = message.id
      if (message.event !== 'alive') lastEvent = message.event
      onMessage(message)
    }
  }
}

/** The type of a decoder of the bytes from `fetch`. The browser's own type allows other buffers. */
type ByteDecoder = ReadableWritablePair<string, Uint8Array>
