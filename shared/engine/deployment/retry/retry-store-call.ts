import { messageOf } from '../../../errors/error.ts'
import type { ClockPort, RandomPort } from '../../../ports/system.ts'
import { computeBackoffMs } from './backoff.ts'
import {
  isClosedByThisProcess,
  errorSourceOf,
  type retryPolicy,
} from '../../../providers/retry-policy.ts'

/** The settings of a retry. */
export interface RetrySettings {
  readonly clock: ClockPort
  readonly random: Pick<RandomPort, 'bytes'>
  /** The pauses between the retries, and the time after which no retry follows. */
  readonly backoff: (typeof retryPolicy)['store' | 'storeAfterCall']['retry']
  /** Reports whether a caller still waits for the result. */
  readonly shouldRetry: () => boolean
  /** Called before the first retry, with the message of the error. */
  readonly onFirstRetry: (reason: string) => void
}

/**
 * Makes a request, and retries it while the store is unavailable, with growing pauses. A short
 * outage then loses no outcome that only this process has, and ends no deployment. Throws the last
 * error when the time is over, when `shouldRetry` returns false, or when a retry cannot help. The
 * request must be repeatable.
 */
export async function retryStoreCall<T>(
  options: RetrySettings,
  request: () => Promise<T>,
): Promise<T> {
  const { clock } = options
  const startedMs = clock.monotonicMs()
  for (let retryIndex = 0; ; retryIndex++) {
    try {
      return await request()
    } catch (thrown) {
      const isTimeOver = clock.monotonicMs() - startedMs > options.backoff.totalMs
      const canRetryHelp = errorSourceOf(thrown) === 'store' && !isClosedByThisProcess(thrown)
      if (!canRetryHelp || isTimeOver || !options.shouldRetry()) throw thrown
      if (retryIndex === 0) options.onFirstRetry(messageOf(thrown))
      await clock.sleep(computeBackoffMs(retryIndex, options.backoff, options.random))
    }
  }
}
