import { parentPort, workerData } from 'node:worker_threads'
import { limits } from '../../../config/limits.ts'
import { replyWithoutCommit, runBatch } from './methods/run-batch.ts'
import { openDatabase } from './database.ts'
import { storeUnavailableError } from './store-errors.ts'
import {
  type StoreFailure,
  type StoreReply,
  type StoreRequest,
  toStoreFailure,
  signalMethod,
  type StoreSignal,
} from './store-message.ts'
import { type SendReplies, type ReceiveRequests, serveStore } from './store-server.ts'

/** The start parameters of the thread: the paths of database and socket, and the size limit. */
export interface ThreadData {
  readonly database: string
  readonly socket: string
  readonly pagesMax: number | undefined
}

/** A message from the thread. */
export type ThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly failure: StoreFailure }
  | { readonly kind: 'replies'; readonly replies: readonly StoreReply[] }
  /** `count`: the number of other processes that are connected. */
  | { readonly kind: 'client-count'; readonly count: number }
  | { readonly kind: 'closed' }

/** A message to the thread. */
export type ThreadCommand =
  | { readonly kind: 'requests'; readonly requests: readonly StoreRequest[] }
  | { readonly kind: 'close' }

interface WaitingRequest {
  readonly request: StoreRequest
  readonly sendReplies: SendReplies
}

/**
 * Runs the thread that owns the database. Writes of all processes wait in one queue. After a
 * commit, the waiting writes form the next transaction, up to `limits.commitRequestsMax`. Reads get
 * their replies before that.
 */
async function runThread(data: ThreadData, post: (message: ThreadMessage) => void): Promise<void> {
  const database = openDatabase(data.database, data.pagesMax)
  let waitingRequests: WaitingRequest[] = []
  let isScheduled = false

  const commit = (): void => {
    const batch = waitingRequests.slice(0, limits.commitRequestsMax)
    waitingRequests = waitingRequests.slice(limits.commitRequestsMax)
    isScheduled = waitingRequests.length > 0
    if (isScheduled) setImmediate(commit)
    const replies = runBatch(
      database,
      batch.map(entry => entry.request),
    )
    deliverReplies(batch, replies)
  }
  const signalReceivers = new Set<SendReplies>()
  const receive: ReceiveRequests = (requests, sendReplies) => {
    const replies: StoreReply[] = []
    for (const request of requests) {
      if (request.method === signalMethod) {
        const signal = request.args as StoreSignal
        for (const receiver of signalReceivers)
          if (receiver !== sendReplies) receiver([{ id: 0, signal }])
        continue
      }
      const reply = replyWithoutCommit(database, request)
      if (reply === undefined) waitingRequests.push({ request, sendReplies })
      else replies.push(reply)
    }
    if (replies.length > 0) sendReplies(replies)
    if (isScheduled || waitingRequests.length === 0) return
    isScheduled = true
    setImmediate(commit)
  }
  const reportClientCount = (): void =>
    post({ kind: 'client-count', count: signalReceivers.size - 1 })
  const server = await serveStore(data.socket, receive, {
    join: sendReplies => {
      signalReceivers.add(sendReplies)
      reportClientCount()
    },
    leave: sendReplies => {
      signalReceivers.delete(sendReplies)
      reportClientCount()
    },
  })

  parentPort?.on('message', (message: ThreadCommand) => {
    if (message.kind === 'requests') return receive(message.requests, replyToOwnProcess)
    while (waitingRequests.length > 0) commit()
    void server.close().then(() => {
      database.close()
      post({ kind: 'closed' })
      parentPort?.close()
    })
  })
  const replyToOwnProcess: SendReplies = replies => post({ kind: 'replies', replies })
  signalReceivers.add(replyToOwnProcess)
  post({ kind: 'ready' })
}

/** Sends one message to each caller, with all replies to the requests of the caller. */
function deliverReplies(batch: readonly WaitingRequest[], replies: readonly StoreReply[]): void {
  const repliesByCaller = new Map<SendReplies, StoreReply[]>()
  for (const [index, { sendReplies }] of batch.entries()) {
    const reply = replies[index]
    if (reply === undefined) continue
    const callerReplies = repliesByCaller.get(sendReplies)
    if (callerReplies === undefined) repliesByCaller.set(sendReplies, [reply])
    else callerReplies.push(reply)
  }
  for (const [sendReplies, callerReplies] of repliesByCaller) sendReplies(callerReplies)
}

const data = workerData as ThreadData
const post = (message: ThreadMessage): void => parentPort?.postMessage(message)
await runThread(data, post).catch((thrown: unknown) => {
  post({ kind: 'failed', failure: toStoreFailure(storeUnavailableError(data.database, thrown)) })
  parentPort?.close()
})
