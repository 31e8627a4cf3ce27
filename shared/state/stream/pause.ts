/** Work before the first pause of a task. */
const firstPauseBytes = 1 << 19

/**
 * Work between two later pauses. This work is limited to a few ms, because garbage collection also
 * delays the other work of the process.
 */
const pauseEveryBytes = 1 << 17

/** The assumed size of a stored resource. Its actual size is not known after it was parsed. */
const resourceBytes = 1 << 11

/**
 * Counts the work of a long task. `addBytes` returns undefined, or a pause when enough work was
 * counted: a promise that resolves after other work of the process. A task with less than
 * `firstPauseBytes` never pauses. The simulation relies on this: its states are smaller, and its
 * time cannot pass during a pause.
 */
export interface Pauser {
  readonly addBytes: (count: number) => Promise<void> | undefined
  /** Counts the work on one resource. */
  readonly addResource: () => Promise<void> | undefined
}

/** Creates the counter of one task. */
export function createPauser(): Pauser {
  let bytesUntilPause = firstPauseBytes
  const addBytes = (count: number): Promise<void> | undefined => {
    bytesUntilPause -= count
    if (bytesUntilPause > 0) return undefined
    bytesUntilPause = pauseEveryBytes
    return new Promise(resolve => setImmediate(resolve))
  }
  return { addBytes, addResource: () => addBytes(resourceBytes) }
}
