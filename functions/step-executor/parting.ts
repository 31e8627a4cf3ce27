import type { LeaseKeeper } from '../../shared/engine/executor/lease.ts'

/** How an executor leaves that cannot settle something which it began. */
export interface Parting {
  /** Whether it begins nothing more. */
  readonly isParting: () => boolean
  readonly part: () => void
  readonly isAbandoned: () => boolean
  /** A person gives up what this process still knows and could not record. */
  readonly abandon: () => void
  /** Runs work under the identity. */
  readonly during: (work: Promise<void>) => Promise<void>
}

/**
 * Retires an identity once nothing runs under it any more: while it lives it is waited for, and
 * what others run under it must still be recorded.
 */
export function createParting(lease: Pick<LeaseKeeper, 'end'>): Parting {
  let running = 0
  let isParting = false
  let isAbandoned = false
  return {
    isParting: () => isParting,
    isAbandoned: () => isAbandoned,
    part: () => {
      isParting = true
    },
    abandon: () => {
      isAbandoned = true
    },
    async during(work) {
      running += 1
      try {
        await work
      } finally {
        running -= 1
        if (isParting && running === 0) void lease.end()
      }
    },
  }
}
