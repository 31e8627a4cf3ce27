import { limits } from '../../config/limits.ts'
import { hasCode, messageOf } from '../../errors/error.ts'
import type { ClockPort } from '../../ports/system.ts'

/** What a repeated write needs. `said` is called before the first repetition. */
export interface Trying {
  readonly clock: ClockPort
  readonly holdsLease: () => boolean
  readonly said: (why: string) => void
}

/**
 * Repeats a write that the store could not take, with growing pauses, as long as nobody else may
 * act: an outcome that only this process knows is worth waiting for. Throws what the last attempt
 * threw after `outcomeKeptMs`, or once the lease is lost. Only for writes that may be repeated.
 */
export async function keepTrying<T>(trying: Trying, write: () => Promise<T>): Promise<T> {
  const { clock } = trying
  const began = clock.monotonicMs()
  let pauseMs = 100
  for (;;) {
    try {
      return await write()
    } catch (thrown) {
      const isLate = clock.monotonicMs() - began > limits.outcomeKeptMs
      if (!hasCode(thrown, 'STORE_UNAVAILABLE') || isLate || !trying.holdsLease()) throw thrown
      if (pauseMs === 100) trying.said(messageOf(thrown))
      await clock.sleep(pauseMs)
      pauseMs = Math.min(pauseMs * 2, 3_000)
    }
  }
}
