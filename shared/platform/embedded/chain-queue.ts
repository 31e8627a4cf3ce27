import { limits } from '../../config/limits.ts'
import { assert, createError } from '../../errors/error.ts'
import type { ChainQueuePort } from '../../ports/queue.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import type { Store } from './store/store.ts'
import { createWaiters } from './waiters.ts'

/** A chain queue that can be closed. */
export interface ChainQueue extends ChainQueuePort {
  /** Ends all waiting receives. They and later receives throw STORE_UNAVAILABLE. */
  readonly close: () => void
}

/** Dependencies of the queue. */
interface ChainQueueDeps {
  readonly store: Pick<Store, 'call' | 'signal' | 'subscribe'>
  readonly clock: ClockPort
  readonly random: RandomPort
  /** Visibility timeout of a delivery, in ms. Default: `limits.visibilityMs`. */
  readonly visibilityMs?: number
}

/**
 * Polling interval of a waiting receiver. The receiver polls because a signal may get lost, and
 * because no signal reports that a visibility timeout has passed.
 */
const pollIntervalMs = 1_000

/**
 * Creates the chain queue in the memory of the process that owns the store, for all processes of
 * this machine. Signals wake waiting receivers.
 */
export function createChainQueue(deps: ChainQueueDeps): ChainQueue {
  const { call } = deps.store
  const waiters = createWaiters(deps.clock)
  const visibilityMs = deps.visibilityMs ?? limits.visibilityMs
  let isClosed = false
  let usesDeliveryLimit = false
  const unsubscribe = deps.store.subscribe(signal => {
    if (signal.topic === 'chains') waiters.wakeAll()
  })
  return {
    send: async messages => {
      for (const { operations } of messages)
        assert(operations.length <= limits.chainOperationsMax, 'a chain has over 64 operations')
      if (messages.length === 0) return
      await call('chains.send', { messages })
      waiters.wakeAll()
      deps.store.signal({ topic: 'chains' })
    },
    receive: async (messagesMax, waitMs, options = {}) => {
      const { signal, deployment = null, pool = null, deliveryLimit } = options
      usesDeliveryLimit ||= deliveryLimit !== undefined
      const deadlineMs = deps.clock.monotonicMs() + waitMs
      for (;;) {
        if (isClosed)
          throw createError('STORE_UNAVAILABLE', 'the queue was closed by this process', {
            details: { reason: 'closed' },
          })
        if (signal?.aborted === true) return []
        const remainingMs = deadlineMs - deps.clock.monotonicMs()
        // The wait starts before the call, so that a message sent during the call wakes this
        // receiver.
        const waiter = waiters.start(Math.min(remainingMs, pollIntervalMs, visibilityMs), signal)
        // The receipt begins with the executor. The delivery limit does not count the operations of
        // retired executors, and recognizes them by the receipt.
        const receipt = `${deliveryLimit?.executor ?? ''}/${deps.random.uuid()}`
        const deliveries = await call('chains.take', {
          deployment,
          pool,
          max: messagesMax,
          visibilityMs,
          receipt,
          operationsMax: deliveryLimit?.operationsMax ?? null,
        })
        if (deliveries.length === 0 && remainingMs > 0) await waiter.woken
        waiter.end()
        if (deliveries.length > 0 || remainingMs <= 0) return deliveries
      }
    },
    async remove(receipt) {
      await call('chains.remove', { receipt })
      // With a delivery limit, the removal may allow another process to take a message.
      if (!usesDeliveryLimit) return
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
