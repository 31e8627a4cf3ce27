/** A concurrency limit. Slots are given in the order of the requests. */
export interface Slots {
  /** Waits for a free slot. Resolves with the function that releases the slot. */
  readonly acquire: () => Promise<() => void>
}

/** Creates `count` slots. */
export function createSlots(count: number): Slots {
  let freeCount = count
  const waiters: (() => void)[] = []
  const release = (): void => {
    const grantNext = waiters.shift()
    if (grantNext === undefined) freeCount += 1
    else grantNext()
  }
  const createRelease = (): (() => void) => {
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      release()
    }
  }
  return {
    acquire() {
      if (freeCount > 0) {
        freeCount -= 1
        return Promise.resolve(createRelease())
      }
      return new Promise(resolve => waiters.push(() => resolve(createRelease())))
    },
  }
}
