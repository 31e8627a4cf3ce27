import { useCallback, useEffect, useRef, useState } from 'react'
import { type ApiFailure, toFailure } from './api-failure.ts'
import { sleepUntilAborted } from './sleep-until-aborted.ts'

/** A value that is read from the API repeatedly. */
export interface PolledValue<Value> {
  /** The last value that was read. A later failure keeps it. */
  readonly value: Value | undefined
  /** The failure of the last read, if it failed. */
  readonly failure: ApiFailure | undefined
  /** Reads again now. */
  readonly reload: () => void
}

/** The options of a polled value. */
interface PollOptions<Value> {
  /** The identity of the value, such as its path. After a change the value is undefined again. */
  readonly key: string
  /** A change causes a new read. The earlier value remains until that read ends. */
  readonly revision?: string | number
  /**
   * The minimum pause between two reads in ms. The pause after a slow read is longer. 0: the value
   * is read once for each revision.
   */
  readonly intervalMs: number
  readonly read: (signal: AbortSignal) => Promise<Value>
}

interface PolledState<Value> {
  readonly key: string
  readonly value: Value | undefined
  readonly failure: ApiFailure | undefined
}

/** For a value without an interval: the pause after a failed read, in ms. */
const retryMs = 5_000
/** The pause after a successful read is at least this multiple of its duration. */
const pauseFactor = 4

/**
 * Reads a value now and after each interval. After the first read, a hidden page reads only when it
 * is shown again. A failed read is repeated.
 */
export function usePolled<Value>(options: PollOptions<Value>): PolledValue<Value> {
  const { key, revision = '', intervalMs, read } = options
  const emptyState: PolledState<Value> = { key, value: undefined, failure: undefined }
  const [state, setState] = useState(emptyState)
  const [reloadCount, setReloadCount] = useState(0)
  const reload = useCallback(() => setReloadCount(count => count + 1), [])
  const latestRead = useRef(read)
  useEffect(() => {
    latestRead.current = read
  })
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    const readOnce = async (): Promise<boolean> => {
      try {
        const value = await latestRead.current(signal)
        if (!signal.aborted) setState({ key, value, failure: undefined })
        return true
      } catch (thrown) {
        if (signal.aborted) return false
        const failure = toFailure(thrown)
        setState(({ key: earlierKey, value }) => ({
          key,
          value: earlierKey === key ? value : undefined,
          failure,
        }))
        return false
      }
    }
    void repeatWhileShown(readOnce, intervalMs, signal)
    return () => abort.abort()
  }, [key, revision, intervalMs, reloadCount])
  const { value, failure } = state.key === key ? state : emptyState
  return { value, failure, reload }
}

/**
 * Calls `readOnce` now and after each pause, until the signal is aborted. While the page is hidden,
 * the next call waits.
 */
async function repeatWhileShown(
  readOnce: () => Promise<boolean>,
  intervalMs: number,
  signal: AbortSignal,
): Promise<void> {
  do {
    const startMs = performance.now()
    const hasSucceeded = await readOnce()
    if (hasSucceeded && intervalMs === 0) return
    const minimumPauseMs = hasSucceeded ? (performance.now() - startMs) * pauseFactor : 0
    await sleepUntilAborted(
      intervalMs === 0 ? retryMs : Math.max(intervalMs, minimumPauseMs),
      signal,
    )
    if (document.hidden && !signal.aborted) await waitUntilShown(signal)
  } while (!signal.aborted)
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
