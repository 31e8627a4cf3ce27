import type { NudgesPort } from '../../shared/ports/queue.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { Scheduler } from './scheduler.ts'

/**
 * Creates the nudges, which outlive all processes. Any process that waits for the stack may receive
 * one.
 */
export function createNudges(scheduler: Scheduler): NudgesPort {
  const due = new Set<StackId>()
  const waiting = new Set<() => void>()
  const put = (stack: StackId): void => {
    due.add(stack)
    for (const wake of waiting) wake()
  }
  const take = (wanted: StackId | undefined): StackId | undefined => {
    const [first] = due
    const stack = wanted === undefined ? first : due.has(wanted) ? wanted : undefined
    if (stack !== undefined) due.delete(stack)
    return stack
  }
  return {
    nudge: async (stack, delayMs) => {
      if (delayMs > 0) scheduler.after(delayMs, () => put(stack))
      else put(stack)
    },
    async receive(waitMs, { stack: wanted, signal } = {}) {
      const untilMs = scheduler.nowMs() + waitMs
      for (;;) {
        const stack = signal?.aborted === true ? undefined : take(wanted)
        const isOver = signal?.aborted === true || scheduler.nowMs() >= untilMs
        if (stack !== undefined || isOver) return stack
        await new Promise<void>(done => {
          const callOff = scheduler.after(untilMs - scheduler.nowMs(), () => wake())
          const wake = (): void => {
            waiting.delete(wake)
            callOff()
            signal?.removeEventListener('abort', wake)
            done()
          }
          waiting.add(wake)
          signal?.addEventListener('abort', wake)
        })
      }
    },
  }
}
