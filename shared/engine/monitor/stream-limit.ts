import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerHttp2Stream } from 'node:http2'
import { limits } from '../../config/limits.ts'

/**
 * The channel on which Node publishes each new stream of an HTTP/2 server. It gives access to the
 * sessions, which grpc-js does not expose.
 */
const channel = 'http2.server.stream.created'
/** The largest limit that HTTP/2 allows. */
const unlimited = 2 ** 31 - 1

/**
 * The limit of concurrent calls on each connection of the monitor. A program keeps further calls in
 * its own memory until earlier calls have ended.
 */
export interface StreamLimit {
  /** The option of grpc-js with the initial limit. */
  readonly serverOptions: Readonly<Record<string, number>>
  /** Adds a port of the monitor. `liftIfNeeded` removes the limit only on the added ports. */
  readonly addPort: (port: number) => void
  /**
   * Removes the limit of all connections if `waitingMax` is more than half of the limit.
   * `waitingMax`: the number of calls that may wait for other calls. So while the limit applies,
   * at most half of the permitted calls wait for other calls.
   */
  readonly liftIfNeeded: (waitingMax: number) => void
  readonly close: () => void
}

/** Removes the limit of a session. A destroyed session accepts no settings, and has no calls. */
function liftLimit(session: NonNullable<ServerHttp2Stream['session']>): void {
  if (!session.destroyed) session.settings({ maxConcurrentStreams: unlimited })
}

/** Creates the limit of one monitor. */
export function createStreamLimit(): StreamLimit {
  const { streamsPerConnection } = limits
  const ports = new Set<number>()
  const sessions = new Set<NonNullable<ServerHttp2Stream['session']>>()
  let isLifted = false
  const onStream = (message: unknown): void => {
    const { session } = (message as { readonly stream: ServerHttp2Stream }).stream
    if (session === undefined || sessions.has(session)) return
    if (!ports.has(session.socket?.localPort ?? 0)) return
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    if (isLifted) liftLimit(session)
  }
  subscribe(channel, onStream)
  return {
    serverOptions: { 'grpc.max_concurrent_streams': streamsPerConnection },
    addPort: port => void ports.add(port),
    liftIfNeeded(waitingMax) {
      if (isLifted || waitingMax * 2 <= streamsPerConnection) return
      isLifted = true
      for (const session of sessions) liftLimit(session)
    },
    close: () => void unsubscribe(channel, onStream),
  }
}
