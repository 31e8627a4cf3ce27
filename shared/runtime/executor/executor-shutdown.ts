import type { RenewedLease } from '../../engine/executor/lease.ts'

/**
 * The shutdown of an executor. The executor begins no more operations, and its running operations
 * continue to their ends.
 */
export interface ExecutorShutdown {
  /** Reports whether the executor begins no more operations. */
  readonly isShuttingDown: () => boolean
  /** Begins the shutdown. */
  readonly start: () => void
  /** Reports whether `abandon` was called. */
  readonly isAbandoned: () => boolean
  /** Abandons outcomes that are not recorded yet, on the user's request. */
  readonly abandon: () => void
  /** Waits for the run of a delivery, and counts it as running until it has ended. */
  readonly track: (deliveryRun: Promise<void>) => Promise<void>
}

/**
 * Creates the shutdown. After `start`, the lease ends with the last running delivery. If none is
 * running, the caller ends the lease. The lease must not end earlier, because running operations
 * still record their outcomes.
 */
export function createExecutorShutdown(lease: Pick<RenewedLease, 'end'>): ExecutorShutdown {
  let runningCount = 0
  let isShuttingDown = false
  let isAbandoned = false
  return {
    isShuttingDown: () => isShuttingDown,
    isAbandoned: () => isAbandoned,
    start: () => {
      isShuttingDown = true
    },
    abandon: () => {
      isAbandoned = true
    },
    async track(deliveryRun) {
      runningCount += 1
      try {
        await deliveryRun
      } finally {
        runningCount -= 1
        if (isShuttingDown && runningCount === 0) void lease.end()
      }
    },
  }
}
