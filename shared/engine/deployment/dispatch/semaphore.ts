import { createFifo } from '../../../values/fifo.ts'

/** A counting semaphore of one process. Its slots are given in the order of the requests. */
export interface Semaphore {
  /**
   * Waits for a free slot and for the end of all suspensions. Resolves with the function that
   * releases the slot.
   */
  readonly acquire: () => Promise<() => void>
  /** Gives no slot until the returned function is called. Held slots are not affected. */
  readonly suspend: () => () => void
  /**
   * Resolves with false if no slots are suspended. Otherwise resolves with true after the end of
   * all suspensions.
   */
  readonly waitUntilResumed: () => Promise<boolean>
}

/** Creates a semaphore with `count` free slots. */
export function createSemaphore(count: number): Semaphore {
  let freeCount = count
  let suspensionCount = 0
  const waiters = createFifo<() => void>()
  const resumeWaiters: (() => void)[] = []
  const grantNext = (): void => {
    while (freeCount > 0 && suspensionCount === 0) {
      const grant = waiters.take()
      if (grant === undefined) return
      freeCount -= 1
      grant()
    }
  }
  return {
    acquire() {
      return new Promise(resolve => {
        const release = callOnce(() => {
          freeCount += 1
          grantNext()
        })
        waiters.add(() => resolve(release))
        grantNext()
      })
    },
    suspend() {
      suspensionCount += 1
      return callOnce(() => {
        suspensionCount -= 1
        if (suspensionCount > 0) return
        for (const resume of resumeWaiters.splice(0)) resume()
        grantNext()
      })
    },
    waitUntilResumed() {
      if (suspensionCount === 0) return Promise.resolve(false)
      return new Promise(resolve => resumeWaiters.push(() => resolve(true)))
    },
  }
}

/** Returns a function that calls `run` the first time only. */
function callOnce(run: () => void): () => void {
  let isCalled = false
  return () => {
    if (isCalled) return
    isCalled = true
    run()
  }
}
