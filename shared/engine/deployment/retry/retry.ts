import { messageOf } from '../../../errors/error.ts'
import type { ClockPort, RandomPort } from '../../../ports/system.ts'
import { computeBackoffMs } from './backoff.ts'
import {
  isClosedByThisProcess,
  errorSourceOf,
  type retryPolicy,
} from '../../../providers/retry-policy.ts'

/** The settings of a retry. `onRetry` is called before the first retry. */
export interface RetrySettings {
  readonly clock: ClockPort
  readonly random: Pick<RandomPort, 'bytes'>
  /** The duration and the pauses of the retries. */
  readonly backoff: (typeof retryPolicy)['store' | 'storeAfterCall']['again']
  /** Reports whether a caller still waits for the result. */
  readonly shouldRetry: () => boolean
  readonly onRetry: (why: string) => void
}

/**
 * Retries a request while the store is unavailable, with growing pauses. It protects an outcome
 * that only this process has, and a read on which a whole deployment depends. Throws the last error
 * when the time is over, when retries are no longer wanted, or when they cannot help. The request
 * must be repeatable.
 */
export async function retryUnavailable<T>(
  options: RetrySettings,
  request: () => Promise<T>,
): Promise<T> {
  const { clock } = options
  const began = clock.monotonicMs()
  for (let number = 0; ; number++) {
    try {
      return await request()
    } catch (thrown) {
      const isLate = clock.monotonicMs() - began > options.backoff.forMs
      const mayPass = errorSourceOf(thrown) === 'store' && !isClosedByThisProcess(thrown)
      if (!mayPass || isLate || !options.shouldRetry()) throw thrown
      if (number === 0) options.onRetry(messageOf(thrown))
      await clock.sleep(computeBackoffMs(number, options.backoff, options.random))
    }
  }
}
