/**
 * Returns the result of a promise. If the signal aborts first, throws the error of `createError`.
 * The work behind the promise continues, because it does not support signals.
 */
export async function withAbort<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  createError: () => Error,
): Promise<T> {
  const abort = Promise.withResolvers<never>()
  const rejectOnAbort = (): void => abort.reject(createError())
  signal.addEventListener('abort', rejectOnAbort, { once: true })
  if (signal.aborted) rejectOnAbort()
  try {
    return await Promise.race([promise, abort.promise])
  } finally {
    signal.removeEventListener('abort', rejectOnAbort)
  }
}
