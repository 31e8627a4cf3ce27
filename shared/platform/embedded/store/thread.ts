import { parentPort, workerData } from 'node:worker_threads'
import { limits } from '../../../config/limits.ts'
import { passingReply, runBatch } from './batch.ts'
import { openDatabase } from './database.ts'
import { unavailable } from './failures.ts'
import {
  type StoreFailure,
  type StoreReply,
  type StoreRequest,
  failureOf,
  signalMethod,
  type StoreSignal,
} from './message.ts'
import { type Answer, type Receive, serve } from './server.ts'

/** What the thread is started with. */
export interface ThreadData {
  readonly database: string
  readonly socket: string
  readonly pagesMax: number | undefined
}

/** What the thread says. */
export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly failure: StoreFailure }
  | { readonly kind: 'replies'; readonly replies: readonly StoreReply[] }
  /** How many other processes are connected now. */
  | { readonly kind: 'others'; readonly count: number }
  | { readonly kind: 'closed' }

/** What the thread is told. */
export type ToThread =
  | { readonly kind: 'requests'; readonly requests: readonly StoreRequest[] }
  | { readonly kind: 'close' }

interface Waiting {
  readonly request: StoreRequest
  readonly answer: Answer
}

/**
 * The thread that owns the database: whatever waits when the last commit ended is the next
 * transaction. Requests of this process and of other ones wait in one queue.
 */
async function run(data: ThreadData, say: (message: FromThread) => void): Promise<void> {
  const database = openDatabase(data.database, data.pagesMax)
  let waiting: Waiting[] = []
  let isScheduled = false

  const commit = (): void => {
    const batch = waiting.slice(0, limits.commitRequestsMax)
    waiting = waiting.slice(limits.commitRequestsMax)
    isScheduled = waiting.length > 0
    if (isScheduled) setImmediate(commit)
    const replies = runBatch(
      database,
      batch.map(one => one.request),
    )
    deliver(batch, replies)
  }
  const audience = new Set<Answer>()
  const receive: Receive = (requests, answer) => {
    for (const request of requests) {
      if (request.method === signalMethod) {
        const signal = request.args as StoreSignal
        for (const other of audience) if (other !== answer) other([{ id: 0, signal }])
        continue
      }
      const reply = passingReply(database, request)
      if (reply === undefined) waiting.push({ request, answer })
      else answer([reply])
    }
    if (isScheduled || waiting.length === 0) return
    isScheduled = true
    setImmediate(commit)
  }
  const tellOthers = (): void => say({ kind: 'others', count: audience.size - 1 })
  const server = await serve(data.socket, receive, {
    join: answer => {
      audience.add(answer)
      tellOthers()
    },
    leave: answer => {
      audience.delete(answer)
      tellOthers()
    },
  })

  parentPort?.on('message', (message: ToThread) => {
    if (message.kind === 'requests') return receive(message.requests, answerHere)
    while (waiting.length > 0) commit()
    void server.close().then(() => {
      database.close()
      say({ kind: 'closed' })
      parentPort?.close()
    })
  })
  const answerHere: Answer = replies => say({ kind: 'replies', replies })
  audience.add(answerHere)
  say({ kind: 'ready' })
}

/** One message for each who asked, however many requests. */
function deliver(batch: readonly Waiting[], replies: readonly StoreReply[]): void {
  const byAsker = new Map<Waiting['answer'], StoreReply[]>()
  for (const [index, { answer }] of batch.entries()) {
    const reply = replies[index]
    if (reply === undefined) continue
    const list = byAsker.get(answer)
    if (list === undefined) byAsker.set(answer, [reply])
    else list.push(reply)
  }
  for (const [answer, list] of byAsker) answer(list)
}

const data = workerData as ThreadData
const say = (message: FromThread): void => parentPort?.postMessage(message)
await run(data, say).catch((thrown: unknown) => {
  say({ kind: 'failed', failure: failureOf(unavailable(data.database, thrown)) })
  parentPort?.close()
})
