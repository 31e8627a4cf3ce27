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
 * are lost when the process dies. A process that resumes interrupted deployments can therefore
 * pass `listUnfinishedStacks`. The first receive adds a nudge for each of these stacks.
 */
export function createNudges(deps: {
  readonly clock: ClockPort
  readonly store: Pick<Store, 'signal' | 'subscribe'>
  readonly listUnfinishedStacks?: () => Promise<readonly StackId[]>
}): Nudges {
  const dueStacks = new Set<StackId>()
  const closeController = new AbortController()
  const waiters = createWaiters(deps.clock)
  let initialNudges: Promise<void> | undefined

  const addDueStack = (stack: StackId): void => {
    dueStacks.add(stack)
    // All receivers are woken, because the first one may wait for another stack.
    waiters.wakeAll()
  }
  const publishNudge = (stack: StackId): void => {
    addDueStack(stack)
    deps.store.signal({ topic: 'nudge', stack })
  }
  const unsubscribe = deps.store.subscribe(signal => {
    if (signal.topic === 'nudge') addDueStack(signal.stack as StackId)
  })
  const addUnfinishedStacks = async (): Promise<void> => {
    try {
      for (const stack of (await deps.listUnfinishedStacks?.()) ?? []) addDueStack(stack)
    } catch (thrown) {
      // The next receive lists the stacks again.
      initialNudges = undefined
      throw thrown
    }
  }
  const takeDueStack = (requestedStack: StackId | undefined): StackId | undefined => {
    const [firstStack] = dueStacks
    const stack =
      requestedStack === undefined
        ? firstStack
        : dueStacks.has(requestedStack)
          ? requestedStack
          : undefined
    if (stack !== undefined) dueStacks.delete(stack)
    return stack
  }

  return {
    nudge: async (stack, delayMs) => {
      if (delayMs <= 0) return publishNudge(stack)
      void deps.clock.sleep(delayMs, closeController.signal).then(() => {
        if (!closeController.signal.aborted) publishNudge(stack)
      })
    },
    receive: async (waitMs, { stack: requestedStack, signal } = {}) => {
      initialNudges ??= addUnfinishedStacks()
      await initialNudges
      const deadlineMs = deps.clock.monotonicMs() + waitMs
      for (;;) {
        const stack = takeDueStack(requestedStack)
        const remainingMs = deadlineMs - deps.clock.monotonicMs()
        const mustReturn =
          remainingMs <= 0 || closeController.signal.aborted || signal?.aborted === true
        if (stack !== undefined || mustReturn) return stack
        await waiters.wait(remainingMs, signal)
      }
    },
    close: () => {
      unsubscribe()
      closeController.abort()
      waiters.wakeAll()
    },
  }
}
