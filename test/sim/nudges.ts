import type { NudgesPort } from '../../shared/ports/queue.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { Scheduler } from './scheduler.ts'

/**
 * Creates the queue of nudges, which outlives all processes. Any process that waits for a nudge of
 * the stack may receive it.
 */
export function createNudges(scheduler: Scheduler): NudgesPort {
  const nudgedStacks = new Set<StackId>()
  const wakers = new Set<() => void>()
  const put = (stack: StackId): void => {
    nudgedStacks.add(stack)
    for (const wake of wakers) wake()
  }
  const takeNudge = (requestedStack: StackId | undefined): StackId | undefined => {
    const [first] = nudgedStacks
    const stack =
      requestedStack === undefined
        ? first
        : nudgedStacks.has(requestedStack)
          ? requestedStack
          : undefined
    if (stack !== undefined) nudgedStacks.delete(stack)
    return stack
  }
  return {
    nudge: async (stack, delayMs) => {
      if (delayMs > 0) scheduler.after(delayMs, () => put(stack))
      else put(stack)
    },
    async receive(waitMs, { stack: requestedStack, signal } = {}) {
      const untilMs = scheduler.nowMs() + waitMs
      for (;;) {
        const stack = signal?.aborted === true ? undefined : takeNudge(requestedStack)
        const isOver = signal?.aborted === true || scheduler.nowMs() >= untilMs
        if (stack !== undefined || isOver) return stack
        await new Promise<void>(resolve => {
          const cancelTimer = scheduler.after(untilMs - scheduler.nowMs(), () => wake())
          const wake = (): void => {
            wakers.delete(wake)
            cancelTimer()
            signal?.removeEventListener('abort', wake)
            resolve()
          }
          wakers.add(wake)
          signal?.addEventListener('abort', wake)
        })
      }
    },
  }
}
