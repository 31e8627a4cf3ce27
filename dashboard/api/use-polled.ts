import { useCallback, useEffect, useState } from 'react'
import { type ApiFailure, toFailure } from './api-failure.ts'

/** A value that is read from the API repeatedly. */
export interface PolledValue<Value> {
  /** The last value that was read. A later failure keeps it. */
  readonly value: Value | undefined
  /** The failure of the last read, if it failed. */
  readonly failure: ApiFailure | undefined
  /** Reads again now. */
  readonly reload: () => void
}

interface PolledState<Value> {
  readonly reader: unknown
  readonly value: Value | undefined
  readonly failure: ApiFailure | undefined
}

/**
 * Reads a value, and again `intervalMs` after each response; with 0 only once. A hidden page does
 * not read, and reads at once when it is shown again. `reader` must keep its identity between
 * renders, because another reader starts without a value. A failed read is repeated too.
 */
export function usePolled<Value>(
  reader: (signal: AbortSignal) => Promise<Value>,
  intervalMs: number,
): PolledValue<Value> {
  const emptyState: PolledState<Value> = { reader, value: undefined, failure: undefined }
  const [state, setState] = useState(emptyState)
  const [attempt, setAttempt] = useState(0)
  const reload = useCallback(() => setAttempt(count => count + 1), [])
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    const readOnce = async (): Promise<void> => {
      try {
        const value = await reader(signal)
        if (!signal.aborted) setState({ reader, value, failure: undefined })
      } catch (thrown) {
        if (signal.aborted) return
        const failure = toFailure(thrown)
        setState(earlier => {
          const value = earlier.reader === reader ? earlier.value : undefined
          return { reader, value, failure }
        })
      }
    }
    void repeatWhileShown(readOnce, intervalMs, signal)
    return () => abort.abort()
  }, [reader, intervalMs, attempt])
  const { value, failure } = state.reader === reader ? state : emptyState
  return { value, failure, reload }
}

/** Calls `readOnce` now and after each interval, while the page is shown and until the signal. */
async function repeatWhileShown(
  readOnce: () => Promise<void>,
  intervalMs: number,
  signal: AbortSignal,
): Promise<void> {
  do {
    await readOnce()
    if (intervalMs === 0) return
    await waitForTimeout(intervalMs, signal)
    if (document.hidden && !signal.aborted) await waitUntilShown(signal)
  } while (!signal.aborted)
}

/** Waits for a time in ms, or until the signal is aborted. */
function waitForTimeout(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}

function waitUntilShown(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const listener = new AbortController()
    const check = (): void => {
      if (document.hidden && !signal.aborted) return
      listener.abort()
      resolve()
    }
    document.addEventListener('visibilitychange', check, { signal: listener.signal })
    signal.addEventListener('abort', check, { once: true })
  })
}
