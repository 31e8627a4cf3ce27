import { messageOf } from '../errors/error.ts'
import type { Provider } from './provider.ts'
import { producerOf, whoseError } from './whose-error.ts'

/** How a call finds its provider again. */
export interface Reaching {
  /** The instance as it is now: made anew where its process has died. */
  readonly living: () => Promise<Provider>
  /** Tells why a call is made again, and resolves after the pause before that (from 0). */
  readonly beforeAgain: (number: number, why: string) => Promise<void>
}

/**
 * Makes a call, again when it was never written because nobody was there to hear it: then nothing
 * can have come of it. Throws what the last try threw. Source: docs/reliability.md#whose-error.
 */
export async function whenReached<T>(
  { living, beforeAgain }: Reaching,
  call: (provider: Provider) => Promise<T>,
): Promise<T> {
  for (let number = 0; ; number++) {
    const provider = await living()
    try {
      return await call(provider)
    } catch (thrown) {
      const isLast = number + 1 >= whoseError.unasked.again.times
      if (producerOf(thrown) !== 'unasked' || isLast) throw thrown
      await beforeAgain(number, messageOf(thrown))
    }
  }
}

/**
 * A provider whose calls that no operation stands for are made `whenReached`. Those of operations
 * are left to their executor, who has to look at its lease right before each.
 */
export function reachedOutsideOperations(provider: Provider, reaching: Reaching): Provider {
  return {
    ...provider,
    check: ask => whenReached(reaching, living => living.check(ask)),
    diff: ask => whenReached(reaching, living => living.diff(ask)),
    read: ask => whenReached(reaching, living => living.read(ask)),
    invoke: ask => whenReached(reaching, living => living.invoke(ask)),
    call: ask => whenReached(reaching, living => living.call(ask)),
    construct: ask => whenReached(reaching, living => living.construct(ask)),
  }
}
