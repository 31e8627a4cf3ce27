/** A concurrency limit; first come, first served. */
export interface Slots {
  /** Resolves with the function that releases the slot. */
  readonly acquire: () => Promise<() => void>
}

/** Creates `count` slots. */
export function createSlots(count: number): Slots {
  let free = count
  const waiting: (() => void)[] = []
  const release = (): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
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
      if (free > 0) {
        free -= 1
        return Promise.resolve(createRelease())
      }
      return new Promise(taken => waiting.push(() => taken(createRelease())))
    },
  }
}
