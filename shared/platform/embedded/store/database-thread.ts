import { parentPort, workerData } from 'node:worker_threads'
import type { UnsentPart } from '../../../records/journal-copy.ts'
import { createCommitQueue, type SendParts } from './commit-queue.ts'
import type { SendResult } from './copied-writes.ts'
import { replyWithoutCommit } from './methods/run-batch.ts'
import { openDatabase } from './database.ts'
import { createStoreUnavailableError } from './store-errors.ts'
import {
  type StoreFailure,
  type StoreReply,
  type StoreRequest,
  toStoreFailure,
  signalMethod,
  type StoreSignal,
} from './store-message.ts'
import { type SendReplies, type ReceiveRequests, serveStore } from './store-server.ts'

/** The start parameters of the thread. */
export interface ThreadData {
  /** The path of the database. */
  readonly database: string
  /** The path of the socket. */
  readonly socket: string
  /** Maximum size of the database, in pages of 4 KB. Undefined: no limit. */
  readonly pagesMax: number | undefined
  /** Whether the writes of deployments are copied to a backend. */
  readonly isCopied: boolean
}

/** A message from the thread. */
export type ThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly failure: StoreFailure }
  | { readonly kind: 'replies'; readonly replies: readonly StoreReply[] }
  /** `count`: the number of other processes that are connected. */
  | { readonly kind: 'client-count'; readonly count: number }
  /** Parts of journal copies. The main thread sends them to the backend. */
  | { readonly kind: 'parts'; readonly parts: readonly UnsentPart[] }
  | { readonly kind: 'closed' }

/** A message to the thread. */
export type ThreadCommand =
  | { readonly kind: 'requests'; readonly requests: readonly StoreRequest[] }
  /** The answer to the last message with parts. */
  | { readonly kind: 'sent'; readonly results: readonly SendResult[] }
  | { readonly kind: 'close' }

/**
 * Runs the thread that owns the database. Writes of all processes wait in one queue. Reads do not
 * wait.
 */
async function runThread(data: ThreadData, post: (message: ThreadMessage) => void): Promise<void> {
  const database = openDatabase(data.database, data.pagesMax)
  let onSent: (results: readonly SendResult[]) => void = () => undefined
  const sendParts: SendParts = parts =>
    new Promise(resolve => {
      onSent = resolve
      post({ kind: 'parts', parts })
    })
  const queue = createCommitQueue(database, data.isCopied ? sendParts : undefined)
  const signalReceivers = new Set<SendReplies>()
  const receive: ReceiveRequests = (requests, sendReplies) => {
    const replies: StoreReply[] = []
    const writes: StoreRequest[] = []
    for (const request of requests) {
      if (request.method === signalMethod) {
        const signal = request.args as StoreSignal
        for (const receiver of signalReceivers)
          if (receiver !== sendReplies) receiver([{ id: 0, signal }])
        continue
      }
      const reply = replyWithoutCommit(database, request)
      if (reply === undefined) writes.push(request)
      else replies.push(reply)
    }
    if (replies.length > 0) sendReplies(replies)
    queue.add(writes, sendReplies)
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
    if (message.kind === 'sent') return onSent(message.results)
    void queue
      .drain()
      .then(() => server.close())
      .then(() => {
        database.close()
        post({ kind: 'closed' })
        parentPort?.close()
      })
  })
  const replyToOwnProcess: SendReplies = replies => post({ kind: 'replies', replies })
  signalReceivers.add(replyToOwnProcess)
  post({ kind: 'ready' })
}

const data = workerData as ThreadData
const post = (message: ThreadMessage): void => parentPort?.postMessage(message)
await runThread(data, post).catch((thrown: unknown) => {
  post({
    kind: 'failed',
    failure: toStoreFailure(createStoreUnavailableError(data.database, thrown)),
  })
  parentPort?.close()
})
