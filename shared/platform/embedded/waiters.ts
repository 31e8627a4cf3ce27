import type { ClockPort } from '../../ports/system.ts'

/** Receivers that wait until something is there; the longest waiting is served first. */
export interface Waiters {
  /** Resolves when woken, after `waitMs`, or when `signal` aborts. */
  readonly wait: (waitMs: number, signal?: AbortSignal) => Promise<void>
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
    wait: async (waitMs, signal) => {
      const waiter = new AbortController()
      waiting.add(waiter)
      const signals = signal === undefined ? [waiter.signal] : [waiter.signal, signal]
      await clock.sleep(waitMs, AbortSignal.any(signals))
      waiting.delete(waiter)
    },
    wakeOne,
    wakeAll: () => {
      while (waiting.size > 0) wakeOne()
    },
  }
}
