import { limits } from '../../../config/limits.ts'
import type { UnsentPart } from '../../../records/journal-copy.ts'
import { createCopiedWrites, type SendResult } from './copied-writes.ts'
import type { Database } from './database.ts'
import { runBatch } from './methods/run-batch.ts'
import type { StoreReply, StoreRequest } from './store-message.ts'
import type { SendReplies } from './store-server.ts'

/** A write that waits for its transaction. */
interface WaitingRequest {
  readonly request: StoreRequest
  readonly sendReplies: SendReplies
}

/** The writes of all processes, in the order in which they arrived. */
export interface CommitQueue {
  readonly add: (requests: readonly StoreRequest[], sendReplies: SendReplies) => void
  /** Resolves when no write waits. */
  readonly drain: () => Promise<void>
}

/** Sends parts of journal copies. Never rejects. */
export type SendParts = (parts: readonly UnsentPart[]) => Promise<readonly SendResult[]>

/**
 * Creates the queue of a database. After a commit, the waiting writes form the next transaction, up
 * to `limits.commitRequestsMax`. With `sendParts`, the writes of deployments are copied to a
 * backend. Their replies, and the next commit, then wait until the backend has the parts.
 */
export function createCommitQueue(database: Database, sendParts?: SendParts): CommitQueue {
  const copiedWrites = sendParts === undefined ? undefined : createCopiedWrites(database)
  let waitingRequests: WaitingRequest[] = []
  let isScheduled = false
  const onIdle: (() => void)[] = []
  const scheduleNext = (): void => {
    isScheduled = waitingRequests.length > 0
    if (isScheduled) setImmediate(commit)
    else for (const resolve of onIdle.splice(0)) resolve()
  }
  const commit = (): void => {
    const batch = waitingRequests.slice(0, limits.commitRequestsMax)
    waitingRequests = waitingRequests.slice(limits.commitRequestsMax)
    const requests = batch.map(entry => entry.request)
    const replies = runBatch(database, requests, copiedWrites?.addParts)
    const parts = copiedWrites?.listUnsent() ?? []
    if (copiedWrites === undefined || sendParts === undefined || parts.length === 0) {
      deliverReplies(batch, replies)
      return scheduleNext()
    }
    void sendParts(parts).then(results => {
      deliverReplies(batch, copiedWrites.applyResults({ requests, replies }, results))
      scheduleNext()
    })
  }
  return {
    add: (requests, sendReplies) => {
      for (const request of requests) waitingRequests.push({ request, sendReplies })
      if (isScheduled || waitingRequests.length === 0) return
      isScheduled = true
      setImmediate(commit)
    },
    drain: () => (isScheduled ? new Promise(resolve => onIdle.push(resolve)) : Promise.resolve()),
  }
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
