import { type Socket, createConnection } from 'node:net'
import { limits } from '../../../config/limits.ts'
import { createError } from '../../../errors/error.ts'
import type { ConnectionEvents, StoreConnection } from './store-connection.ts'
import { createStoreUnavailableError } from './store-errors.ts'
import { createLineChannel } from './line-channel.ts'
import { type StoreReply, protocolVersion } from './store-message.ts'
import type { Hello } from './store-server.ts'

/**
 * Connects to the process that owns the store. Returns undefined when no owner responds. Throws
 * STORE_TOO_NEW when the owner uses another version of the protocol.
 */
export async function tryConnect(
  path: string,
  events: ConnectionEvents,
): Promise<StoreConnection | undefined> {
  const socket = createConnection(path)
  socket.on('error', () => socket.destroy())
  let isClosing = false
  let awaitedReplies = 0
  // The timeout of the socket is not suitable, because each request to a silent owner restarts it.
  let silenceTimer: NodeJS.Timeout | undefined
  const restartSilenceTimer = (): void => {
    clearTimeout(silenceTimer)
    silenceTimer =
      awaitedReplies > 0 ? setTimeout(() => socket.destroy(), limits.storeResponseMs) : undefined
    silenceTimer?.unref()
  }
  const hello = Promise.withResolvers<Hello | undefined>()
  const write = createLineChannel(socket, value => {
    const replies = parseReplies(value)
    if (replies === undefined) return hello.resolve(parseHello(value))
    awaitedReplies -= replies.filter(isReplyToRequest).length
    events.onReplies(replies)
  })
  // Parts of a long reply are a sign of life too. The channel has counted the replies before this.
  socket.on('data', restartSilenceTimer)
  socket.on('close', () => clearTimeout(silenceTimer))
  socket.on('timeout', () => socket.destroy())
  socket.setTimeout(limits.storeConnectMs)
  socket.on('close', () => hello.resolve(undefined))

  const owner = await hello.promise
  if (owner === undefined || socket.destroyed) return undefined
  socket.setTimeout(0)
  if (owner.protocol !== protocolVersion) {
    socket.destroy()
    throw createError('STORE_TOO_NEW', 'the store is in use by another version of antichain', {
      hint: 'Wait until the other process has ended, or set ANTICHAIN_HOME to another folder.',
      details: { pid: owner.pid, protocol: owner.protocol },
    })
  }
  socket.on('close', () => {
    if (!isClosing)
      events.onLost(
        createStoreUnavailableError(
          path,
          `the connection to its owner, process ${owner.pid}, was lost`,
        ),
      )
  })
  socket.unref()
  return {
    kind: 'client',
    send: requests => {
      const isFirst = awaitedReplies === 0
      awaitedReplies += requests.length
      if (isFirst) restartSilenceTimer()
      write(requests)
    },
    signal: request => write([request]),
    keepAlive: hasPendingRequests => {
      if (isClosing) return
      if (hasPendingRequests) socket.ref()
      else socket.unref()
    },
    close: async () => {
      isClosing = true
      await closeSocket(socket)
    },
  }
}

/** Reports whether a reply answers a request. Signals have the id 0. */
function isReplyToRequest({ id }: { readonly id: number }): boolean {
  return id !== 0
}

function closeSocket(socket: Socket): Promise<void> {
  return new Promise(resolve => {
    if (socket.destroyed) return resolve()
    socket.ref()
    socket.once('close', () => resolve())
    socket.destroy()
  })
}

/** Parses the first line of the owner. For a value that is no object, the protocol is -1. */
function parseHello(value: unknown): Hello {
  const isObject = typeof value === 'object' && value !== null
  return isObject ? (value as Hello) : { protocol: -1, schema: -1, pid: -1 }
}

function parseReplies(value: unknown): readonly StoreReply[] | undefined {
  return Array.isArray(value) ? (value as StoreReply[]) : undefined
}
