import { limits } from '../../../config/limits.ts'
import { createSlots, type Slots } from './slots.ts'

/**
 * Whether an operation may begin although all slots for provider calls are taken, so that its begin
 * is stored meanwhile. `change`: a repeatable change. `read`: a refresh, which changes nothing.
 */
export type EarlyBegin = 'none' | 'change' | 'read'

/** The slots for the operations of one process. Slots are given in the order of the requests. */
export interface OperationSlots extends Pick<Slots, 'suspend' | 'waitUntilResumed'> {
  /**
   * Waits until an operation may begin.
   */
  readonly acquire: (options: { readonly earlyBegin: EarlyBegin }) => Promise<OperationSlot>
}

/** The slot of one operation. */
export interface OperationSlot {
  /** Waits until the operation may call its provider. */
  readonly waitForCall: () => Promise<void>
  /** Releases the slot. Further calls have no effect. */
  readonly release: () => void
}

/**
 * Creates slots for `count` concurrent provider calls, and for as many changes that begin early. A
 * process that is killed thus leaves at most twice as many begun changes. Reads that begin early
 * have more slots (`earlyReadsMax`), because a lost one has no effect.
 */
export function createOperationSlots(count: number): OperationSlots {
  const calls = createSlots(count)
  const earlySlots = {
    none: calls,
    change: createSlots(count),
    read: createSlots(Math.max(count, limits.earlyReadsMax)),
  }
  return {
    async acquire({ earlyBegin }) {
      let mayCall = earlyBegin === 'none'
      let releaseHeld = await earlySlots[earlyBegin].acquire()
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
      const resumes = Object.values(earlySlots).map(slots => slots.suspend())
      return () => {
        for (const resume of resumes) resume()
      }
    },
    waitUntilResumed: calls.waitUntilResumed,
  }
}
