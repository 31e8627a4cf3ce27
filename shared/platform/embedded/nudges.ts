import type { NudgesPort } from '../../ports/queue.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { StackId } from '../../records/ids.ts'
import type { Store } from './store/store.ts'
import { createWaiters } from './waiters.ts'

/** Nudges that can be closed. */
export interface Nudges extends NudgesPort {
  readonly close: () => void
}

/**
 * Creates nudges to all processes of this machine. Delayed nudges use timers of this process and
 * are lost when it dies. A process that resumes interrupted deployments therefore scans the
 * catalog: `scan` runs at the first receive.
 */
export function createNudges(deps: {
  readonly clock: ClockPort
  readonly store: Pick<Store, 'signal' | 'subscribe'>
  readonly scan?: () => Promise<readonly StackId[]>
}): Nudges {
  const due = new Set<StackId>()
  const ending = new AbortController()
  const waiters = createWaiters(deps.clock)
  let scanned: Promise<void> | undefined

  const addDue = (stack: StackId): void => {
    due.add(stack)
    // All are woken, because the first receiver may wait for another stack.
    waiters.wakeAll()
  }
  const publishNudge = (stack: StackId): void => {
    addDue(stack)
    deps.store.signal({ topic: 'nudge', stack })
  }
  const unsubscribe = deps.store.subscribe(signal => {
    if (signal.topic === 'nudge') addDue(signal.stack as StackId)
  })
  const scan = async (): Promise<void> => {
    try {
      for (const stack of (await deps.scan?.()) ?? []) addDue(stack)
    } catch (thrown) {
      scanned = undefined
      throw thrown
    }
  }
  const takeDue = (wanted: StackId | undefined): StackId | undefined => {
    const [first] = due
    const stack = wanted === undefined ? first : due.has(wanted) ? wanted : undefined
    if (stack !== undefined) due.delete(stack)
    return stack
  }

  return {
    nudge: async (stack, delayMs) => {
      if (delayMs <= 0) return publishNudge(stack)
      void deps.clock.sleep(delayMs, ending.signal).then(() => {
        if (!ending.signal.aborted) publishNudge(stack)
      })
    },
    receive: async (waitMs, { stack: wanted, signal } = {}) => {
      scanned ??= scan()
      await scanned
      const untilMs = deps.clock.monotonicMs() + waitMs
      for (;;) {
        const stack = takeDue(wanted)
        const leftMs = untilMs - deps.clock.monotonicMs()
        const isOver = leftMs <= 0 || ending.signal.aborted || signal?.aborted === true
        if (stack !== undefined || isOver) return stack
        await waiters.wait(leftMs, signal)
      }
    },
    close: () => {
      unsubscribe()
      ending.abort()
      waiters.wakeAll()
    },
  }
}
