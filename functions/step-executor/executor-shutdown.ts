import type { LeaseKeeper } from '../../shared/engine/executor/lease.ts'

/** The shutdown of an executor that can neither end nor give back an operation it had begun. */
export interface ExecutorShutdown {
  /** Reports whether the executor begins no more operations. */
  readonly isShuttingDown: () => boolean
  readonly start: () => void
  readonly isAbandoned: () => boolean
  /** Abandons outcomes that are not recorded yet, on the user's request. */
  readonly abandon: () => void
  /** Waits for work, and counts it as running until it has ended. */
  readonly track: (work: Promise<void>) => Promise<void>
}

/**
 * Creates the shutdown. After `start`, the lease of the executor ends when no more work runs. The
 * lease must live until then, because running operations must still record their outcomes.
 */
export function createExecutorShutdown(lease: Pick<LeaseKeeper, 'end'>): ExecutorShutdown {
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
    async track(work) {
      runningCount += 1
      try {
        await work
      } finally {
        runningCount -= 1
        if (isShuttingDown && runningCount === 0) void lease.end()
      }
    },
  }
}
