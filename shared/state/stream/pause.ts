/** Work between two pauses: it takes some ms, so that other work of the process is not delayed. */
const pauseEveryBytes = 1 << 19

/** An assumed size, because the size of a stored resource is not known after it was parsed. */
const resourceBytes = 1 << 11

/**
 * Counts the work of a long task. `addBytes` returns undefined, or a pause when enough work was
 * counted: a promise that resolves after other work of the process. A task with less than
 * `pauseEveryBytes` never pauses. The simulation relies on this: its states are smaller, and its
 * time cannot pass during a pause.
 */
export interface Pauser {
  readonly addBytes: (count: number) => Promise<void> | undefined
  /** Counts the work on one resource. */
  readonly addResource: () => Promise<void> | undefined
}

/** Creates the counter of one task. */
export function createPauser(): Pauser {
  let bytesSincePause = 0
  const addBytes = (count: number): Promise<void> | undefined => {
    bytesSincePause += count
    if (bytesSincePause < pauseEveryBytes) return undefined
    bytesSincePause = 0
    return new Promise(resolve => setImmediate(resolve))
  }
  return { addBytes, addResource: () => addBytes(resourceBytes) }
}
