import { messageOf } from '../../errors/error.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import { backoffMs } from './backoff.ts'
import { isClosedHere, producerOf, type whoseError } from '../../providers/whose-error.ts'

/** What a repeated request needs. `said` is called before the first repetition. */
export interface Trying {
  readonly clock: ClockPort
  readonly random: Pick<RandomPort, 'bytes'>
  /** How long and with which pauses. */
  readonly again: (typeof whoseError)['store' | 'storeAfterCall']['again']
  /** Whether it is still worth it: somebody still waits. */
  readonly isWorthIt: () => boolean
  readonly said: (why: string) => void
}

/**
 * Repeats a request that the store could not take, with growing pauses: an outcome that only this
 * process knows is worth waiting for, and so is a read that a whole deployment waits upon. Throws
 * what the last attempt threw when the time is over, or once it is not worth it or in vain. Only
 * for requests that may be repeated.
 */
export async function keepTrying<T>(trying: Trying, request: () => Promise<T>): Promise<T> {
  const { clock } = trying
  const began = clock.monotonicMs()
  for (let number = 0; ; number++) {
    try {
      return await request()
    } catch (thrown) {
      const isLate = clock.monotonicMs() - began > trying.again.forMs
      const mayPass = producerOf(thrown) === 'store' && !isClosedHere(thrown)
      if (!mayPass || isLate || !trying.isWorthIt()) throw thrown
      if (number === 0) trying.said(messageOf(thrown))
      await clock.sleep(backoffMs(number, trying.again, trying.random))
    }
  }
}
