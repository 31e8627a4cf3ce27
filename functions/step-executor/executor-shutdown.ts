import type { LeaseKeeper } from '../../shared/engine/executor/lease.ts'

/** The shutdown of an executor that cannot settle an operation which it had begun. */
export interface ExecutorShutdown {
  /** Reports whether it begins nothing more. */
  readonly isShuttingDown: () => boolean
  readonly start: () => void
  readonly isAbandoned: () => boolean
  /** Abandons outcomes that are not recorded yet, on the user's request. */
  readonly abandon: () => void
  /** Runs work under the identity. */
  readonly track: (work: Promise<void>) => Promise<void>
}

/**
 * Creates the shutdown: the identity is retired when nothing runs under it any more. Until then
 * others wait for it, and its running operations must still be recorded.
 */
export function createExecutorShutdown(lease: Pick<LeaseKeeper, 'end'>): ExecutorShutdown {
  let running = 0
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
      running += 1
      try {
        await work
      } finally {
        running -= 1
        if (isShuttingDown && running === 0) void lease.end()
      }
    },
  }
}
