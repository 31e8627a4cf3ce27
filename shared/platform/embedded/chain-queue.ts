import { limits } from '../../config/limits.ts'
import { assert, error } from '../../errors/error.ts'
import type { ChainMessage, ChainQueuePort, Delivery } from '../../ports/queue.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import { createWaiters } from './waiters.ts'

/** The queue of chains with its end. */
export interface ChainQueue extends ChainQueuePort {
  /** Ends all waiting; later receives throw STORE_UNAVAILABLE. */
  readonly close: () => void
}

/** What the queue needs. */
interface QueueDeps {
  readonly clock: ClockPort
  readonly random: RandomPort
  /** How long a delivery is invisible to others. */
  readonly visibilityMs?: number
}

/** A message in the queue. `receipt`: of its last delivery. `loan`: until it is visible again. */
interface Entry {
  readonly message: ChainMessage
  deliveries: number
  receipt: string
  loan: AbortController | undefined
}

/**
 * The queue of chains in the memory of the process that runs the deployment, with the behaviour of
 * SQS: at least once, in no promised order, invisible while on loan, given up after 5 deliveries.
 * What it loses with the process is sent again by the sweep (I4).
 */
export function createChainQueue(deps: QueueDeps): ChainQueue {
  const waiters = createWaiters(deps.clock)
  const shelf = createShelf(deps, () => waiters.wakeOne())
  let isClosed = false
  return {
    send: async messages => {
      for (const message of messages) {
        const count = message.operations.length
        assert(count <= limits.chainOperationsMax, 'a chain message names at most 64 operations')
      }
      for (const message of messages) shelf.put(message)
    },
    receive: async (max, waitMs, signal) => {
      if (isClosed) throw error('STORE_UNAVAILABLE', 'the queue was closed by this process')
      const untilMs = deps.clock.monotonicMs() + waitMs
      for (;;) {
        if (signal?.aborted === true) return []
        const deliveries = shelf.take(max)
        const leftMs = untilMs - deps.clock.monotonicMs()
        if (deliveries.length > 0 || leftMs <= 0 || isClosed) return deliveries
        await waiters.wait(leftMs, signal)
      }
    },
    remove: async receipt => shelf.remove(receipt),
    extend: async (receipt, ms) => shelf.extend(receipt, ms),
    deadLetters: async deployment => shelf.dead().filter(one => one.deployment === deployment),
    close: () => {
      isClosed = true
      shelf.clear()
      waiters.wakeAll()
    },
  }
}

/** The messages, visible and on loan. */
interface Shelf {
  readonly put: (message: ChainMessage) => void
  readonly take: (max: number) => readonly Delivery[]
  readonly remove: (receipt: string) => void
  readonly extend: (receipt: string, ms: number) => boolean
  readonly dead: () => readonly ChainMessage[]
  readonly clear: () => void
}

/** `appeared` is called whenever a message is visible that someone may take. */
function createShelf(deps: QueueDeps, appeared: () => void): Shelf {
  const visibilityMs = deps.visibilityMs ?? limits.visibilityMs
  const visible = new Set<Entry>()
  const byReceipt = new Map<string, Entry>()
  const dead: ChainMessage[] = []

  const show = (entry: Entry): void => {
    entry.loan = undefined
    visible.add(entry)
    appeared()
  }
  const lend = (entry: Entry, ms: number): void => {
    const loan = new AbortController()
    entry.loan = loan
    void deps.clock.sleep(ms, loan.signal).then(() => {
      if (!loan.signal.aborted) show(entry)
    })
  }
  const drop = (entry: Entry): void => {
    entry.loan?.abort()
    visible.delete(entry)
    byReceipt.delete(entry.receipt)
  }
  const deliver = (entry: Entry): Delivery => {
    entry.deliveries += 1
    entry.receipt = deps.random.uuid()
    byReceipt.set(entry.receipt, entry)
    lend(entry, visibilityMs)
    return { message: entry.message, receipt: entry.receipt, deliveries: entry.deliveries }
  }
  return {
    put: message => show({ message, deliveries: 0, receipt: '', loan: undefined }),
    take: max => {
      const deliveries: Delivery[] = []
      for (const entry of visible) {
        if (deliveries.length >= max) break
        drop(entry)
        if (entry.deliveries < limits.deliveriesMax) deliveries.push(deliver(entry))
        else dead.push(entry.message)
      }
      if (visible.size > 0) appeared()
      return deliveries
    },
    remove: receipt => {
      const entry = byReceipt.get(receipt)
      if (entry !== undefined) drop(entry)
    },
    extend: (receipt, ms) => {
      const entry = byReceipt.get(receipt)
      if (entry?.loan === undefined) return false
      entry.loan.abort()
      lend(entry, ms)
      return true
    },
    dead: () => dead,
    clear: () => {
      for (const entry of byReceipt.values()) entry.loan?.abort()
      visible.clear()
    },
  }
}
