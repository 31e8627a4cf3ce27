import { limits } from '../../shared/config/limits.ts'
import type { ChainMessage, ChainQueuePort, Delivery, Share } from '../../shared/ports/queue.ts'
import type { DeploymentId, ExecutorId } from '../../shared/records/ids.ts'
import type { Pool } from '../../shared/records/pool.ts'
import type { SeededDraw } from './draw.ts'
import type { Scheduler } from './scheduler.ts'

interface Entry {
  readonly message: ChainMessage
  deliveries: number
  receipt: string
  /** The receiver during a visibility timeout, if it is known. */
  taker: ExecutorId | ''
  /** Virtual time from which the message is visible. */
  visibleAtMs: number
}

interface Where {
  readonly deployment?: DeploymentId
  readonly pool?: Pool
  readonly share?: Share
}

const countIn = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { message }) => sum + message.operations.length, 0)

/**
 * Creates a queue with minimal guarantees: at least once, in any order, invisible during a timeout,
 * dead-lettered after too many deliveries. It outlives all processes.
 */
export function createQueue(
  scheduler: Scheduler,
  draw: SeededDraw,
  isRetired: (deployment: DeploymentId, executor: ExecutorId) => boolean,
): ChainQueuePort {
  let entries: Entry[] = []
  const dead: ChainMessage[] = []
  const waiting: (() => void)[] = []
  let receipts = 0
  const createEntry = (message: ChainMessage): Entry => {
    const visibleAtMs = scheduler.nowMs()
    return { message, deliveries: 0, receipt: '', taker: '', visibleAtMs }
  }
  const take = (max: number, { deployment, pool, share }: Where): readonly Delivery[] => {
    const nowMs = scheduler.nowMs()
    const open = entries.filter(
      ({ message, visibleAtMs }) =>
        visibleAtMs <= nowMs &&
        (deployment === undefined || message.deployment === deployment) &&
        (pool === undefined || (message.pool ?? 'short') === pool),
    )
    const onLoan = entries.filter(
      ({ message, visibleAtMs, taker }) =>
        visibleAtMs > nowMs &&
        message.deployment === deployment &&
        (taker === '' || !isRetired(message.deployment, taker)),
    )
    const taken: Delivery[] = []
    let operations = countIn(onLoan)
    for (const entry of draw.chance(0.3) ? open.toReversed() : open) {
      if (taken.length >= max) break
      if (entry.deliveries >= limits.deliveriesMax) {
        dead.push(entry.message)
        entries = entries.filter(other => other !== entry)
        continue
      }
      operations += entry.message.operations.length
      const isFirst = onLoan.length + taken.length === 0
      if (share !== undefined && operations > share.operationsMax && !isFirst) break
      receipts += 1
      entry.taker = share?.executor ?? ''
      entry.deliveries += 1
      entry.receipt = `receipt ${receipts}`
      entry.visibleAtMs = nowMs + limits.visibilityMs
      const { message, receipt, deliveries } = entry
      taken.push({ message, receipt, deliveries })
    }
    return taken
  }
  return {
    send: async messages => {
      for (const message of messages) entries.push(createEntry(message))
      for (const wake of waiting.splice(0)) wake()
    },
    async receive(max, waitMs, options = {}) {
      const untilMs = scheduler.nowMs() + waitMs
      for (;;) {
        if (options.signal?.aborted === true) return []
        const taken = take(max, options)
        if (taken.length > 0 || scheduler.nowMs() >= untilMs) return taken
        await new Promise<void>(done => {
          const callOff = scheduler.after(untilMs - scheduler.nowMs(), done)
          waiting.push(() => {
            callOff()
            done()
          })
        })
      }
    },
    remove: async receipt => {
      entries = entries.filter(entry => entry.receipt !== receipt)
      for (const wake of waiting.splice(0)) wake()
    },
    extend: async (receipt, ms) => {
      const entry = entries.find(other => other.receipt === receipt)
      if (entry === undefined) return false
      entry.visibleAtMs = scheduler.nowMs() + ms
      return true
    },
    redrive: async deployment => {
      const again = dead.filter(message => message.deployment === deployment)
      for (const message of again) dead.splice(dead.indexOf(message), 1)
      for (const message of again) entries.push(createEntry(message))
      return again.length
    },
    listDeadLetters: async deployment => dead.filter(message => message.deployment === deployment),
  }
}
