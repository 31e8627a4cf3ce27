import { setTimeout as sleep } from 'node:timers/promises'
import { type DeployError, createError } from '../../../errors/error.ts'
import type { LoggerPort } from '../../../ports/system.ts'
import { tryConnect } from './client-connection.ts'
import type { ConnectionEvents, StoreConnection } from './store-connection.ts'
import { tryLock } from './store-lock.ts'
import { createOwnerWait } from './owner-wait.ts'
import { writeOwnerPid, createSilentOwnerError, readStoreOwner } from './store-owner.ts'
import {
  signalMethod,
  type StoreReply,
  type StoreRequest,
  type StoreSignal,
} from './store-message.ts'
import type { StoreCall } from './methods/store-methods.ts'
import { openOwnerConnection, type StoreSettings } from './owner-connection.ts'
import { type StorePaths, prepareStore } from './store-paths.ts'
import { createPendingRequests } from './pending-requests.ts'
import { openStoreReader } from './store-reader.ts'

/** The store, with the same functions for its owner and its clients. */
export interface Store {
  readonly call: StoreCall
  /** Sends a signal to all other processes that have the store open. The signal may get lost. */
  readonly signal: (signal: StoreSignal) => void
  /** Calls `listener` for signals of other processes. Returns a function that ends these calls. */
  readonly subscribe: (listener: (signal: StoreSignal) => void) => () => void
  /**
   * Returns the role of this process: the owner of the store, or a client of the owner. `none`:
   * this process is not connected, because it lost its connection or has only read.
   */
  readonly getRole: () => 'owner' | 'client' | 'none'
  /**
   * Starts to connect a store that connects late, so that its first write waits less. The next
   * request repeats a failed attempt, and throws its error.
   */
  readonly startConnecting: () => void
  /** Waits for pending requests, then closes. Later calls fail with STORE_UNAVAILABLE. */
  readonly close: () => Promise<void>
}

/** Options of the store. */
export interface StoreOptions extends StoreSettings {
  readonly home: string
  readonly logger: LoggerPort
  /**
   * Whether this process reads from the database itself until its first request that is no read.
   * Before that request it receives no signals.
   */
  readonly connectsLate?: boolean
}

/**
 * Opens the store in `home`. The first process that acquires the lock owns the database and serves
 * the others. When the owner dies, another process acquires the lock, and all others connect to the
 * new owner. All processes then repeat their unanswered requests. The store recognizes repetitions.
 * Throws STORE_UNAVAILABLE and STORE_TOO_NEW.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const paths = prepareStore(options.home)
  const pendingRequests = createPendingRequests()
  let unsentRequests: StoreRequest[] = []
  let connection: StoreConnection | undefined
  const reader = options.connectsLate === true ? openStoreReader(paths.database) : undefined
  const signals = createSignalHub()
  let isClosed = false
  let connecting: Promise<{ readonly thrown: unknown } | undefined> | undefined

  const events: ConnectionEvents = {
    onReplies: replies => {
      signals.deliver(replies)
      pendingRequests.deliver(replies)
      if (pendingRequests.isEmpty()) connection?.keepAlive(false)
    },
    onLost: reason => {
      connection = undefined
      options.logger.write('info', 'store.lost', { reason: reason.message })
      if (!pendingRequests.isEmpty()) void reconnect()
    },
  }
  const connect = async (): Promise<void> => {
    connection = await acquireConnection(paths, events, options)
    options.logger.write('debug', 'store.opened', { role: connection.kind, path: paths.database })
  }
  const reconnect = async (): Promise<void> => {
    if (connecting !== undefined || connection !== undefined) return
    connecting = catchFailure(connect())
    const failure = await connecting
    connecting = undefined
    if (failure !== undefined) pendingRequests.failAll(failure.thrown)
    unsentRequests = [...pendingRequests.listRequests()]
    flush()
  }
  const flush = (): void => {
    if (unsentRequests.length === 0) return
    const replies = reader?.reply(unsentRequests)
    if (replies === undefined && connection === undefined) return void reconnect()
    const requests = unsentRequests.splice(0)
    if (replies !== undefined) return pendingRequests.deliver(replies)
    connection?.keepAlive(true)
    connection?.send(requests)
  }
  const sendRequest = (method: string, args: unknown): Promise<unknown> => {
    if (isClosed) return Promise.reject(createClosedError(paths))
    const { request, answer } = pendingRequests.add(method, args)
    unsentRequests.push(request)
    if (unsentRequests.length === 1) setImmediate(flush)
    return answer
  }

  if (reader?.isOpen() !== true) await connect()
  return {
    call: toStoreCall(sendRequest),
    signal: args => void (isClosed || connection?.signal({ id: 0, method: signalMethod, args })),
    subscribe: listener => signals.subscribe(listener),
    getRole: () => connection?.kind ?? 'none',
    startConnecting: () => void (isClosed || reconnect()),
    close: async () => {
      if (isClosed) return
      isClosed = true
      await pendingRequests.waitUntilDrained()
      await connecting
      reader?.close()
      await connection?.close()
    },
  }
}

/** Returns what the work throws, or undefined if it succeeds. */
function catchFailure(work: Promise<void>): Promise<{ readonly thrown: unknown } | undefined> {
  return work.then(
    () => undefined,
    (thrown: unknown) => ({ thrown }),
  )
}

/** Creates the list of listeners for signals. */
function createSignalHub() {
  const listeners = new Set<(signal: StoreSignal) => void>()
  return {
    subscribe(listener: (signal: StoreSignal) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    deliver(replies: readonly StoreReply[]): void {
      for (const reply of replies)
        if ('signal' in reply) for (const listener of listeners) listener(reply.signal)
    },
  }
}

/**
 * Returns `send` with the types of the store's methods. Owner and client have the same protocol
 * version, so a reply has the type of its method.
 */
function toStoreCall(send: (method: string, args: unknown) => Promise<unknown>): StoreCall {
  return send as StoreCall
}

function createClosedError(paths: StorePaths): DeployError {
  return createError(
    'STORE_UNAVAILABLE',
    `the store ${paths.database} was closed by this process`,
    {
      details: { path: paths.database, reason: 'closed' },
    },
  )
}

/** Becomes the owner or a client, whichever succeeds first. Throws when neither succeeds. */
async function acquireConnection(
  paths: StorePaths,
  events: ConnectionEvents,
  { pagesMax, sendParts }: StoreSettings,
): Promise<StoreConnection> {
  const wait = createOwnerWait(performance.now())
  for (;;) {
    const lock = tryLock(paths.lock)
    if (lock !== undefined) {
      writeOwnerPid(paths.pid)
      const settings = {
        ...(pagesMax === undefined ? {} : { pagesMax }),
        ...(sendParts === undefined ? {} : { sendParts }),
      }
      return openOwnerConnection({ paths, lock, ...settings }, events)
    }
    const connection = await tryConnect(paths.socket, events)
    if (connection !== undefined) return connection
    if (wait.isOver(readStoreOwner(paths.pid), performance.now()))
      throw createSilentOwnerError(paths)
    await sleep(wait.nextPauseMs())
  }
}
