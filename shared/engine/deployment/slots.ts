/** A bound on what runs at once; first come, first served. */
export interface Slots {
  /** Resolves with the call that gives the slot back. */
  readonly take: () => Promise<() => void>
}

/** Makes `count` slots. */
export function createSlots(count: number): Slots {
  let free = count
  const waiting: (() => void)[] = []
  const release = (): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
  const once = (): (() => void) => {
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      release()
    }
  }
  return {
    take() {
      if (free > 0) {
        free -= 1
        return Promise.resolve(once())
      }
      return new Promise(taken => waiting.push(() => taken(once())))
    },
  }
}
