import type { LeaseKeeper } from '../../shared/engine/executor/lease.ts'

/** How an executor leaves that cannot settle something which it began. */
export interface ExecutorShutdown {
  /** Whether it begins nothing more. */
  readonly isShuttingDown: () => boolean
  readonly start: () => void
  readonly isAbandoned: () => boolean
  /** A person gives up what this process still knows and could not record. */
  readonly abandon: () => void
  /** Runs work under the identity. */
  readonly track: (work: Promise<void>) => Promise<void>
}

/**
 * Retires an identity once nothing runs under it any more: while it lives it is waited for, and
 * what others run under it must still be recorded.
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
