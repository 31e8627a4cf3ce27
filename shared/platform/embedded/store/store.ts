import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../../../config/limits.ts'
import { type DeployError, error } from '../../../errors/error.ts'
import type { LogPort } from '../../../ports/system.ts'
import { tryConnect } from './client-connection.ts'
import type { ConnectionEvents, StoreConnection } from './connection.ts'
import { unavailable } from './failures.ts'
import { tryLock } from './lock.ts'
import { type StoreReply, type StoreRequest, errorOf } from './message.ts'
import type { StoreCall } from './methods.ts'
import { openOwner } from './owner-connection.ts'
import { type StorePaths, prepareStore } from './paths.ts'

/** The store as every process of this machine sees it, owner or not. */
export interface Store {
  readonly call: StoreCall
  /** Whether this process owns the database now. */
  readonly role: () => 'owner' | 'client' | 'none'
  /** Waits for what was asked before, then ends the connection; later calls fail with STORE_UNAVAILABLE. */
  readonly close: () => Promise<void>
}

interface Pending {
  readonly request: StoreRequest
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Opens the store in `home`. The first process that gets the lock owns the database and serves the
 * others; when it dies one of them gets the lock, the rest connect to that one, and all repeat what
 * was not answered: every request of the store may be repeated.
 * Throws STORE_UNAVAILABLE and STORE_TOO_NEW.
 */
export async function openStore(options: {
  readonly home: string
  readonly log: LogPort
  readonly pagesMax?: number
}): Promise<Store> {
  const paths = prepareStore(options.home)
  const pending = new Map<number, Pending>()
  let unsent: StoreRequest[] = []
  let lastId = 0
  let connection: StoreConnection | undefined
  let isClosed = false
  let isConnecting = false
  let drained: () => void = () => {}

  const events: ConnectionEvents = {
    replied: replies => {
      for (const reply of replies) settle(pending, reply)
      if (pending.size > 0) return
      connection?.keepAlive(false)
      drained()
    },
    lost: reason => {
      connection = undefined
      options.log.write('info', 'store.lost', { reason: reason.message })
      if (pending.size > 0) void reconnect()
    },
  }
  const connect = async (): Promise<void> => {
    connection = await acquire(paths, events, options.pagesMax)
    options.log.write('debug', 'store.opened', { role: connection.kind, path: paths.database })
  }
  const failAll = (reason: unknown): void => {
    for (const { reject } of pending.values()) reject(reason)
    pending.clear()
    unsent = []
    drained()
  }
  const reconnect = async (): Promise<void> => {
    if (isConnecting) return
    isConnecting = true
    try {
      await connect()
      isConnecting = false
      unsent = [...pending.values()].map(one => one.request)
      flush()
    } catch (thrown) {
      isConnecting = false
      failAll(thrown)
    }
  }
  const flush = (): void => {
    if (unsent.length === 0) return
    if (connection === undefined) return void reconnect()
    const requests = unsent
    unsent = []
    connection.keepAlive(true)
    connection.send(requests)
  }

  await connect()
  return {
    call: (method, args) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(closedError(paths))
        lastId += 1
        const request = { id: lastId, method, args }
        pending.set(lastId, { request, resolve: resolve as Pending['resolve'], reject })
        unsent.push(request)
        if (unsent.length === 1) setImmediate(flush)
      }),
    role: () => connection?.kind ?? 'none',
    close: async () => {
      if (isClosed) return
      isClosed = true
      if (pending.size > 0) {
        await new Promise<void>(resolve => {
          drained = resolve
        })
      }
      await connection?.close()
    },
  }
}

function settle(pending: Map<number, Pending>, reply: StoreReply): void {
  const one = pending.get(reply.id)
  if (one === undefined) return
  pending.delete(reply.id)
  if ('failure' in reply) one.reject(errorOf(reply.failure))
  else one.resolve(reply.value)
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
      return openOwner({ paths, lock, ...(pagesMax === undefined ? {} : { pagesMax }) }, events)
    }
    const connection = await tryConnect(paths.socket, events)
    if (connection !== undefined) return connection
    await sleep(limits.storeRetryMs)
  }
  throw unavailable(paths.database, new Error('its owner, another process, does not answer'))
}
