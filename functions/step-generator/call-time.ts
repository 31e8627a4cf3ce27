import { programLimits } from '../../shared/config/program-limits.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { RunLimit } from './serve-run.ts'

/** The time of one call of a generator. All requests that the call serves share this time. */
export interface CallTime {
  /** Returns the limit of a run or preview that begins now. */
  readonly remainingLimit: () => RunLimit
  /**
   * Reports whether the call may open another request. Opening can include an installation, which
   * must end within the call.
   */
  readonly mayOpenAnotherRequest: () => boolean
}

/** Creates the time of a call that begins now and has this limit. */
export function startCallTime(
  clock: Pick<ClockPort, 'monotonicMs'>,
  { limitMs = Infinity, handOverSignal }: RunLimit,
): CallTime {
  const startedMs = clock.monotonicMs()
  const measureElapsedMs = (): number => clock.monotonicMs() - startedMs
  return {
    remainingLimit: () => ({
      ...(limitMs === Infinity
        ? {}
        : { limitMs: Math.max(runMinMs, limitMs - measureElapsedMs()) }),
      ...(handOverSignal === undefined ? {} : { handOverSignal }),
    }),
    mayOpenAnotherRequest: () =>
      handOverSignal?.aborted !== true &&
      measureElapsedMs() <= limitMs * programLimits.beginNextFraction,
  }
}

/**
 * Minimum time limit of a run, in ms. A run gets this limit when the time of its call is used up,
 * so it hands over within a second.
 */
const runMinMs = 1_000
