import { limits } from '../../config/limits.ts'
import { assert } from '../../errors/error.ts'
import type { ChainMessage, ChainQueuePort, Delivery } from '../../ports/queue.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import { createWaiters } from './waiters.ts'

/** The queue of chains with its end. */
export interface ChainQueue extends ChainQueuePort {
  /** Ends all waiting; later receives answer nothing. */
  readonly close: () => void
}

/** A message in the queue. `receipt` is that of its last delivery; `loan` ends when it is visible again. */
interface Entry {
  readonly message: ChainMessage
  deliveries: number
  receipt: string
  loan: AbortController | undefined
}

/**
 * The queue of chains in the memory of the process that runs the deployment, with the behaviour of
 * SQS: at least once, in no promised order, invisible while on loan, given up after some deliveries.
 * What it loses with the process is sent again by the sweep (I4).
 */
export function createChainQueue(deps: {
  readonly clock: ClockPort
  readonly random: RandomPort
  readonly visibilityMs?: number
}): ChainQueue {
  const visibilityMs = deps.visibilityMs ?? limits.visibilityMs
  const ready = new Set<Entry>()
  const byReceipt = new Map<string, Entry>()
  const dead: ChainMessage[] = []
  const waiters = createWaiters(deps.clock)
  let isClosed = false

  const lend = (entry: Entry, ms: number): void => {
    const loan = new AbortController()
    entry.loan = loan
    void deps.clock.sleep(ms, loan.signal).then(() => {
      if (loan.signal.aborted) return
      entry.loan = undefined
      ready.add(entry)
      waiters.wakeOne()
    })
  }
  const drop = (entry: Entry): void => {
    entry.loan?.abort()
    ready.delete(entry)
    byReceipt.delete(entry.receipt)
  }
  const deliver = (entry: Entry): Delivery | undefined => {
    drop(entry)
    if (entry.deliveries >= limits.deliveriesMax) {
      dead.push(entry.message)
      return undefined
    }
    entry.deliveries += 1
    entry.receipt = deps.random.uuid()
    byReceipt.set(entry.receipt, entry)
    lend(entry, visibilityMs)
    return { message: entry.message, receipt: entry.receipt, deliveries: entry.deliveries }
  }
  const take = (max: number): readonly Delivery[] => {
    const deliveries: Delivery[] = []
    for (const entry of ready) {
      if (deliveries.length >= max) break
      const delivery = deliver(entry)
      if (delivery !== undefined) deliveries.push(delivery)
    }
    if (ready.size > 0) waiters.wakeOne()
    return deliveries
  }

  return {
    send: async messages => {
      for (const message of messages) {
        const count = message.operations.length
        assert(count <= limits.chainOperationsMax, 'a chain message names at most 64 operations')
        ready.add({ message, deliveries: 0, receipt: '', loan: undefined })
        waiters.wakeOne()
      }
    },
    receive: async (max, waitMs) => {
      const untilMs = deps.clock.monotonicMs() + waitMs
      for (;;) {
        const deliveries = take(max)
        const leftMs = untilMs - deps.clock.monotonicMs()
        if (deliveries.length > 0 || leftMs <= 0 || isClosed) return deliveries
        await waiters.wait(leftMs)
      }
    },
    remove: async receipt => {
      const entry = byReceipt.get(receipt)
      if (entry !== undefined) drop(entry)
    },
    extend: async (receipt, ms) => {
      const entry = byReceipt.get(receipt)
      if (entry?.loan === undefined) return false
      entry.loan.abort()
      lend(entry, ms)
      return true
    },
    deadLetters: async deployment => dead.filter(one => one.deployment === deployment),
    close: () => {
      isClosed = true
      for (const entry of byReceipt.values()) entry.loan?.abort()
      ready.clear()
      waiters.wakeAll()
    },
  }
}
