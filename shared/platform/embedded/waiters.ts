import type { ClockPort } from '../../ports/system.ts'

/** Receivers that wait until something is there; the longest waiting is served first. */
export interface Waiters {
  /** Resolves when woken, or after `waitMs`. */
  readonly wait: (waitMs: number) => Promise<void>
  readonly wakeOne: () => void
  readonly wakeAll: () => void
}

/** A queue of waiting receivers on a clock. */
export function createWaiters(clock: ClockPort): Waiters {
  const waiting = new Set<AbortController>()
  const wakeOne = (): void => {
    const [first] = waiting
    if (first === undefined) return
    waiting.delete(first)
    first.abort()
  }
  return {
    wait: async waitMs => {
      const waiter = new AbortController()
      waiting.add(waiter)
      await clock.sleep(waitMs, waiter.signal)
      waiting.delete(waiter)
    },
    wakeOne,
    wakeAll: () => {
      while (waiting.size > 0) wakeOne()
    },
  }
}
