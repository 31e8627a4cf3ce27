import { messageOf } from '../../../errors/error.ts'
import type { ClockPort, RandomPort } from '../../../ports/system.ts'
import { computeBackoffMs } from './backoff.ts'
import {
  isClosedByThisProcess,
  errorSourceOf,
  type retryPolicy,
} from '../../../providers/retry-policy.ts'

/** What a repeated request needs. `said` is called before the first repetition. */
export interface RetrySettings {
  readonly clock: ClockPort
  readonly random: Pick<RandomPort, 'bytes'>
  /** How long and with which pauses. */
  readonly backoff: (typeof retryPolicy)['store' | 'storeAfterCall']['again']
  /** Whether it is still worth it: somebody still waits. */
  readonly shouldRetry: () => boolean
  readonly onRetry: (why: string) => void
}

/**
 * Repeats a request that the store could not take, with growing pauses: an outcome that only this
 * process knows is worth waiting for, and so is a read that a whole deployment waits upon. Throws
 * what the last attempt threw when the time is over, or once it is not worth it or in vain. Only
 * for requests that may be repeated.
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
