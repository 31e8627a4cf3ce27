import { limits } from '../../config/limits.ts'
import { assert, error } from '../../errors/error.ts'
import type { ChainQueuePort } from '../../ports/queue.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import type { Store } from './store/store.ts'
import { createWaiters } from './waiters.ts'

/** The queue of chains with its end. */
export interface ChainQueue extends ChainQueuePort {
  /** Ends all waiting; later receives throw STORE_UNAVAILABLE. */
  readonly close: () => void
}

/** What the queue needs. */
interface ChainQueueDeps {
  readonly store: Pick<Store, 'call' | 'signal' | 'subscribe'>
  readonly clock: ClockPort
  readonly random: RandomPort
  /** How long a delivery is invisible to others. */
  readonly visibilityMs?: number
}

/** How long a receiver waits before it looks again: a signal may get lost, a loan may end. */
const lookAgainMs = 1_000

/**
 * The queue of chains, in the memory of the process that owns the store, for every process of this
 * machine. Who waits is woken by a signal.
 */
export function createChainQueue(deps: ChainQueueDeps): ChainQueue {
  const { call } = deps.store
  const waiters = createWaiters(deps.clock)
  const visibilityMs = deps.visibilityMs ?? limits.visibilityMs
  let isClosed = false
  let isShared = false
  const unsubscribe = deps.store.subscribe(signal => {
    if (signal.topic === 'chains') waiters.wakeAll()
  })
  return {
    send: async messages => {
      for (const { operations } of messages)
        assert(
          operations.length <= limits.chainOperationsMax,
          'a chain message names at most 64 operations',
        )
      if (messages.length === 0) return
      await call('chains.send', { messages })
      waiters.wakeAll()
      deps.store.signal({ topic: 'chains' })
    },
    receive: async (max, waitMs, options = {}) => {
      const { signal, deployment = null, pool = null, share } = options
      isShared ||= share !== undefined
      const untilMs = deps.clock.monotonicMs() + waitMs
      for (;;) {
        if (isClosed)
          throw error('STORE_UNAVAILABLE', 'the queue was closed by this process', {
            details: { reason: 'closed' },
          })
        if (signal?.aborted === true) return []
        const leftMs = untilMs - deps.clock.monotonicMs()
        // What is sent while the store is asked must wake this receiver too.
        const waiter = waiters.start(Math.min(leftMs, lookAgainMs, visibilityMs), signal)
        const receipt = `${share?.executor ?? ''}/${deps.random.uuid()}`
        const deliveries = await call('chains.take', {
          deployment,
          pool,
          max,
          visibilityMs,
          receipt,
          operationsMax: share?.operationsMax ?? null,
        })
        if (deliveries.length === 0 && leftMs > 0) await waiter.woken
        waiter.end()
        if (deliveries.length > 0 || leftMs <= 0) return deliveries
      }
    },
    async remove(receipt) {
      await call('chains.remove', { receipt })
      // Another process may take something now.
      if (!isShared) return
      waiters.wakeAll()
      deps.store.signal({ topic: 'chains' })
    },
    extend: (receipt, ms) => call('chains.extend', { receipt, ms }),
    redrive: async deployment => {
      const count = await call('chains.redrive', { deployment })
      waiters.wakeAll()
      deps.store.signal({ topic: 'chains' })
      return count
    },
    listDeadLetters: deployment => call('chains.dead', { deployment }),
    close: () => {
      isClosed = true
      unsubscribe()
      waiters.wakeAll()
    },
  }
}
