import type { ClockPort } from '../../ports/system.ts'

/** Waiting receivers. The one that has waited longest is woken first. */
export interface Waiters {
  /** Starts a wait like `wait`. `end` stops it early. */
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
  const waiting = new Set<AbortController>()
  const wakeOne = (): void => {
    const [first] = waiting
    if (first === undefined) return
    waiting.delete(first)
    first.abort()
  }
  const start: Waiters['start'] = (waitMs, signal) => {
    const waiter = new AbortController()
    waiting.add(waiter)
    const signals = signal === undefined ? [waiter.signal] : [waiter.signal, signal]
    const woken = clock.sleep(waitMs, AbortSignal.any(signals))
    const end = (): void => {
      waiting.delete(waiter)
      waiter.abort()
    }
    return { woken: woken.then(() => void waiting.delete(waiter)), end }
  }
  return {
    start,
    wait: (waitMs, signal) => start(waitMs, signal).woken,
    wakeOne,
    wakeAll: () => {
      while (waiting.size > 0) wakeOne()
    },
  }
}
