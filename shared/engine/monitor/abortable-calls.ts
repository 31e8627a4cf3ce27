/**
 * Pending calls that can end early. A `Promise.race` of each call with one promise for the abort
 * would keep ended calls in memory.
 */
export interface AbortableCalls {
  /** Settles like `answer`. Rejects with the error of an abort that comes first. */
  readonly follow: <T>(answer: Promise<T>) => Promise<T>
  /** Rejects all pending and later calls with `thrown`. */
  readonly abort: (thrown: unknown) => void
}

/** Creates an empty set of calls. */
export function createAbortableCalls(): AbortableCalls {
  const pendingRejections = new Set<(thrown: unknown) => void>()
  let abortCause: { readonly thrown: unknown } | undefined
  return {
    follow: answer =>
      new Promise((resolve, reject) => {
        if (abortCause !== undefined) reject(abortCause.thrown)
        else pendingRejections.add(reject)
        answer.then(
          value => {
            pendingRejections.delete(reject)
            resolve(value)
          },
          (thrown: unknown) => {
            pendingRejections.delete(reject)
            reject(thrown)
          },
        )
      }),
    abort(thrown) {
      abortCause = { thrown }
      for (const reject of pendingRejections) reject(thrown)
      pendingRejections.clear()
    },
  }
}
