import { Worker } from 'node:worker_threads'
import { type DeployError, messageOf } from '../../../errors/error.ts'
import type { SendParts } from './commit-queue.ts'
import type { ConnectionEvents, StoreConnection } from './store-connection.ts'
import { createStoreUnavailableError } from './store-errors.ts'
import type { StoreLock } from './store-lock.ts'
import { toStoreError } from './store-message.ts'
import type { StorePaths } from './store-paths.ts'
import type { ThreadMessage, ThreadData, ThreadCommand } from './database-thread.ts'

/** Settings of a store. The process that owns the store applies them. */
export interface StoreSettings {
  /** Maximum size of the database, in pages of 4 KB. */
  readonly pagesMax?: number
  /** Sends parts of journal copies to a backend. Absent: the writes are not copied. */
  readonly sendParts?: SendParts
}

/**
 * Starts the thread that owns the database. Releases `lock` when the thread ends, even after a
 * failed start. Throws STORE_UNAVAILABLE and STORE_TOO_NEW.
 */
export async function openOwnerConnection(
  options: StoreSettings & { readonly paths: StorePaths; readonly lock: StoreLock },
  events: ConnectionEvents,
): Promise<StoreConnection> {
  const { paths, lock } = options
  const data: ThreadData = {
    database: paths.database,
    socket: paths.socket,
    pagesMax: options.pagesMax,
    isCopied: options.sendParts !== undefined,
  }
  const worker = new Worker(new URL('./database-thread.ts', import.meta.url), {
    workerData: data,
    execArgv: [],
  })
  const post = (message: ThreadCommand): void => worker.postMessage(message)
  let isClosing = false
  let clientCount = 0
  let threadError: unknown
  const threadExit = new Promise<void>(resolve => {
    worker.once('exit', () => {
      lock.release()
      resolve()
      if (!isClosing)
        events.onLost(
          createStoreUnavailableError(paths.database, threadError ?? 'its database thread ended'),
        )
    })
  })
  worker.on('error', thrown => {
    threadError = thrown
  })
  try {
    await waitUntilStarted(worker, paths.database)
  } catch (thrown) {
    isClosing = true
    await worker.terminate()
    await threadExit
    throw thrown
  }
  worker.on('message', (message: ThreadMessage) => {
    if (message.kind === 'replies') events.onReplies(message.replies)
    if (message.kind === 'client-count') clientCount = message.count
    if (message.kind === 'parts')
      void options.sendParts?.(message.parts).then(results => post({ kind: 'sent', results }))
  })
  worker.unref()
  return {
    kind: 'owner',
    send: requests => post({ kind: 'requests', requests }),
    signal: request => {
      if (clientCount > 0) post({ kind: 'requests', requests: [request] })
    },
    keepAlive: hasPendingRequests => {
      // A late signal must not let this process end before its thread has closed the database.
      if (isClosing) return
      if (hasPendingRequests) worker.ref()
      else worker.unref()
    },
    close: async () => {
      isClosing = true
      worker.ref()
      post({ kind: 'close' })
      await threadExit
    },
  }
}

function waitUntilStarted(worker: Worker, path: string): Promise<void> {
  return new Promise((resolve, reject: (reason: DeployError) => void) => {
    worker.once('message', (message: ThreadMessage) => {
      if (message.kind === 'failed') reject(toStoreError(message.failure))
      else resolve()
    })
    worker.once('error', thrown => reject(createStoreUnavailableError(path, messageOf(thrown))))
    worker.once('exit', () =>
      reject(createStoreUnavailableError(path, 'its database thread ended')),
    )
  })
}
