import type { NudgesPort } from '../../ports/queue.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { StackId } from '../../records/ids.ts'
import { createWaiters } from './waiters.ts'

/** Nudges with their end. */
export interface Nudges extends NudgesPort {
  readonly close: () => void
}

/**
 * Nudges on timers of this process. They die with it: whoever starts and wants to carry on what was
 * left (`antichain serve`) scans the catalog, which `scan` does at the first receive.
 */
export function createNudges(deps: {
  readonly clock: ClockPort
  readonly scan?: () => Promise<readonly StackId[]>
}): Nudges {
  const due = new Set<StackId>()
  const ending = new AbortController()
  const waiters = createWaiters(deps.clock)
  let scanned: Promise<void> | undefined

  const put = (stack: StackId): void => {
    due.add(stack)
    waiters.wakeOne()
  }
  const scan = async (): Promise<void> => {
    for (const stack of (await deps.scan?.()) ?? []) put(stack)
  }
  const take = (): StackId | undefined => {
    const [stack] = due
    if (stack !== undefined) due.delete(stack)
    return stack
  }

  return {
    nudge: async (stack, delayMs) => {
      if (delayMs <= 0) return put(stack)
      void deps.clock.sleep(delayMs, ending.signal).then(() => {
        if (!ending.signal.aborted) put(stack)
      })
    },
    receive: async waitMs => {
      scanned ??= scan()
      await scanned
      const untilMs = deps.clock.monotonicMs() + waitMs
      for (;;) {
        const stack = take()
        const leftMs = untilMs - deps.clock.monotonicMs()
        if (stack !== undefined || leftMs <= 0 || ending.signal.aborted) return stack
        await waiters.wait(leftMs)
      }
    },
    close: () => {
      ending.abort()
      waiters.wakeAll()
    },
  }
}
