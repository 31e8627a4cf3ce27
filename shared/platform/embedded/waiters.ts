import type { ClockPort } from '../../ports/system.ts'

/** Waiting receivers. The receiver that has waited longest is woken first. */
export interface Waiters {
  /**
   * Starts a wait and returns immediately. `woken` resolves like `wait`, or after a call of `end`.
   */
  readonly start: (
    waitMs: number,
    signal?: AbortSignal,
  ) => { readonly woken: Promise<void>; readonly end: () => void }
  /** Resolves when woken, after `waitMs`, or when `signal` aborts. */
  readonly wait: (waitMs: number, signal?: AbortSignal) => Promise<void>
  readonly wakeOne: () => void
  readonly wakeAll: () => void
}

/** Creates a queue of waiting receivers. */
export function createWaiters(clock: ClockPort): Waiters {
  const waiters = new Set<AbortController>()
  const wakeOne = (): void => {
    const [longestWaiting] = waiters
    if (longestWaiting === undefined) return
    waiters.delete(longestWaiting)
    longestWaiting.abort()
  }
  const start: Waiters['start'] = (waitMs, signal) => {
    const waiter = new AbortController()
    waiters.add(waiter)
    const signals = signal === undefined ? [waiter.signal] : [waiter.signal, signal]
    const woken = clock.sleep(waitMs, AbortSignal.any(signals))
    const end = (): void => {
      waiters.delete(waiter)
      waiter.abort()
    }
    return { woken: woken.then(() => void waiters.delete(waiter)), end }
  }
  return {
    start,
    wait: (waitMs, signal) => start(waitMs, signal).woken,
    wakeOne,
    wakeAll: () => {
      while (waiters.size > 0) wakeOne()
    },
  }
}
