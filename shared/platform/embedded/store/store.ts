import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../../../config/limits.ts'
import { type DeployError, error } from '../../../errors/error.ts'
import type { LogPort } from '../../../ports/system.ts'
import { tryConnect } from './client-connection.ts'
import type { ConnectionEvents, StoreConnection } from './connection.ts'
import { tryLock } from './lock.ts'
import { noteOwner, silentOwner } from './owner.ts'
import { signalMethod, type StoreReply, type StoreRequest, type StoreSignal } from './message.ts'
import type { StoreCall } from './methods.ts'
import { openOwner } from './owner-connection.ts'
import { type StorePaths, prepareStore } from './paths.ts'
import { createPendingRequests } from './pending.ts'

/** The store as every process of this machine sees it, owner or not. */
export interface Store {
  readonly call: StoreCall
  /** Says something to every other process that has the store open; may get lost. */
  readonly signal: (signal: StoreSignal) => void
  /** Calls back for what others say; answers how to end that. */
  readonly hear: (heard: (signal: StoreSignal) => void) => () => void
  /** Whether this process owns the database now. */
  readonly role: () => 'owner' | 'client' | 'none'
  /** Waits for what was asked before, then ends; later calls fail with STORE_UNAVAILABLE. */
  readonly close: () => Promise<void>
}

/** How the store is opened. */
export interface StoreOptions {
  readonly home: string
  readonly log: LogPort
  /** Limits the database to so many pages of 4 KB. */
  readonly pagesMax?: number
}

/**
 * Opens the store in `home`. The first process that gets the lock owns the database and serves the
 * others; when it dies one of them gets the lock, the rest connect to that one, and all repeat what
 * was not answered: every request of the store may be repeated.
 * Throws STORE_UNAVAILABLE and STORE_TOO_NEW.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const paths = prepareStore(options.home)
  const pending = createPendingRequests()
  let unsent: StoreRequest[] = []
  let connection: StoreConnection | undefined
  const signals = createSignals()
  let isClosed = false
  let isConnecting = false

  const events: ConnectionEvents = {
    replied: replies => {
      signals.deliver(replies)
      pending.settle(replies)
      if (pending.isEmpty()) connection?.keepAlive(false)
    },
    lost: reason => {
      connection = undefined
      options.log.write('info', 'store.lost', { reason: reason.message })
      if (!pending.isEmpty()) void reconnect()
    },
  }
  const connect = async (): Promise<void> => {
    connection = await acquire(paths, events, options.pagesMax)
    options.log.write('debug', 'store.opened', { role: connection.kind, path: paths.database })
  }
  const reconnect = async (): Promise<void> => {
    if (isConnecting) return
    isConnecting = true
    const failure = await connect().then(
      () => undefined,
      (thrown: unknown) => ({ thrown }),
    )
    isConnecting = false
    if (failure !== undefined) pending.failAll(failure.thrown)
    unsent = [...pending.requests()]
    flush()
  }
  const flush = (): void => {
    if (unsent.length === 0) return
    if (connection === undefined) return void reconnect()
    const requests = unsent
    unsent = []
    connection.keepAlive(true)
    connection.send(requests)
  }
  const ask = (method: string, args: unknown): Promise<unknown> => {
    if (isClosed) return Promise.reject(closedError(paths))
    const { request, answer } = pending.add(method, args)
    unsent.push(request)
    if (unsent.length === 1) setImmediate(flush)
    return answer
  }

  await connect()
  return {
    call: parseCall(ask),
    signal: signal => {
      if (!isClosed) connection?.signal({ id: 0, method: signalMethod, args: signal })
    },
    hear: heard => signals.hear(heard),
    role: () => connection?.kind ?? 'none',
    close: async () => {
      if (isClosed) return
      isClosed = true
      await pending.drained()
      await connection?.close()
    },
  }
}

/** Who listens to other processes. */
function createSignals() {
  const listeners = new Set<(signal: StoreSignal) => void>()
  return {
    hear(heard: (signal: StoreSignal) => void): () => void {
      listeners.add(heard)
      return () => void listeners.delete(heard)
    },
    deliver(replies: readonly StoreReply[]): void {
      for (const reply of replies)
        if ('signal' in reply) for (const heard of listeners) heard(reply.signal)
    },
  }
}

/** What a method answers is what its type says: both ends are one version of this folder. */
function parseCall(ask: (method: string, args: unknown) => Promise<unknown>): StoreCall {
  return ask as StoreCall
}

function closedError(paths: StorePaths): DeployError {
  return error('STORE_UNAVAILABLE', `the store ${paths.database} was closed by this process`, {
    details: { path: paths.database, reason: 'closed' },
  })
}

/** Becomes owner or client, whichever is possible first. */
async function acquire(
  paths: StorePaths,
  events: ConnectionEvents,
  pagesMax: number | undefined,
): Promise<StoreConnection> {
  const deadlineMs = performance.now() + limits.storeConnectMs
  while (performance.now() < deadlineMs) {
    const lock = tryLock(paths.lock)
    if (lock !== undefined) {
      noteOwner(paths.pid)
      return openOwner({ paths, lock, ...(pagesMax === undefined ? {} : { pagesMax }) }, events)
    }
    const connection = await tryConnect(paths.socket, events)
    if (connection !== undefined) return connection
    await sleep(limits.storeRetryMs)
  }
  throw silentOwner(paths)
}
