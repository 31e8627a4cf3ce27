import { createSemaphore, type Semaphore } from './semaphore.ts'

/**
 * The slots that the executors of one process share. An operation needs a slot for its load, for
 * its begin, and for its provider call. Slots are given in the order of the requests.
 */
export interface OperationSlots extends Pick<Semaphore, 'suspend' | 'waitUntilResumed'> {
  /**
   * Waits until the operations of a message may be loaded, message by message. So operations of one
   * plan page are loaded in succession, and a page is rarely read again. Resolves with the function
   * that lets the next message load its operations.
   */
  readonly acquireTurn: () => Promise<() => void>
  /**
   * Waits until an operation may be loaded. Only a limited number of operations are loaded while
   * they wait for their slots, so the others need little memory. Resolves with the function that
   * lets another operation be loaded. Further calls of this function have no effect.
   */
  readonly acquireLoad: () => Promise<() => void>
  /**
   * Waits until an operation may begin. With `beginsEarly` it may begin although all slots for
   * provider calls are taken. Its begin is then stored while it waits for such a slot.
   */
  readonly acquire: (options: { readonly beginsEarly: boolean }) => Promise<OperationSlot>
}

/** The slot of one operation. */
export interface OperationSlot {
  /** Waits until the operation may call its provider. */
  readonly waitForCall: () => Promise<void>
  /** Releases the slot. Further calls have no effect. */
  readonly release: () => void
}

/** Number of operations that may be loaded at the same time, even if there are few slots. */
const loadedOperationsMin = 256

/**
 * Creates slots for `count` concurrent provider calls, and for as many operations that begin early.
 * So a process that is killed leaves at most twice `count` begun operations.
 */
export function createOperationSlots(count: number): OperationSlots {
  const calls = createSemaphore(count)
  const earlyBegins = createSemaphore(count)
  const loads = createSemaphore(Math.max(4 * count, loadedOperationsMin))
  const turns = createSemaphore(1)
  return {
    acquireTurn: turns.acquire,
    acquireLoad: loads.acquire,
    async acquire({ beginsEarly }) {
      let mayCall = !beginsEarly
      let releaseHeld = await (beginsEarly ? earlyBegins : calls).acquire()
      return {
        async waitForCall() {
          if (mayCall) return
          mayCall = true
          const releaseCall = await calls.acquire()
          releaseHeld()
          releaseHeld = releaseCall
        },
        release: () => releaseHeld(),
      }
    },
    suspend() {
      const resumeCalls = calls.suspend()
      const resumeBegins = earlyBegins.suspend()
      return () => {
        resumeCalls()
        resumeBegins()
      }
    },
    waitUntilResumed: calls.waitUntilResumed,
  }
}
