/** The time of a slice in ms. A frame has 16 ms. */
const sliceMs = 8

/**
 * Runs the steps of a generator in slices, between which the page reacts to its user. Throws the
 * reason of the signal.
 */
export async function runInSlices<Result>(
  steps: Generator<undefined, Result>,
  signal: AbortSignal,
): Promise<Result> {
  let sliceStart = performance.now()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() - sliceStart < sliceMs) continue
    await new Promise(resolve => void setTimeout(resolve, 0))
    signal.throwIfAborted()
    sliceStart = performance.now()
  }
}
