import { messageOf } from '../errors/error.ts'
import type { Provider } from './provider.ts'
import { errorSourceOf, retryPolicy } from './retry-policy.ts'

/** How a call finds its provider again. */
export interface UnsentRetry {
  /** Returns the current instance, restarted if its process has ended. */
  readonly getInstance: () => Promise<Provider>
  /**
   * Reports the reason of a retry, and resolves after the pause before it. `number` counts from 0.
   */
  readonly beforeRetry: (number: number, why: string) => Promise<void>
}

/**
 * Calls a provider, and again when the request was never written because the connection failed.
 * Throws the error of the last attempt. Source: docs/reliability.md#sources-of-errors.
 */
export async function retryUnsent<T>(
  { getInstance, beforeRetry }: UnsentRetry,
  call: (provider: Provider) => Promise<T>,
): Promise<T> {
  for (let number = 0; ; number++) {
    const provider = await getInstance()
    try {
      return await call(provider)
    } catch (thrown) {
      const isLast = number + 1 >= retryPolicy.unasked.again.times
      if (errorSourceOf(thrown) !== 'unasked' || isLast) throw thrown
      await beforeRetry(number, messageOf(thrown))
    }
  }
}

/**
 * Returns a provider that retries unsent calls outside of operations by `retryUnsent`. Calls of
 * operations are left to their executor, which must check its lease immediately before each.
 */
export function withUnsentRetry(provider: Provider, reaching: UnsentRetry): Provider {
  return {
    ...provider,
    check: ask => retryUnsent(reaching, instance => instance.check(ask)),
    diff: ask => retryUnsent(reaching, instance => instance.diff(ask)),
    read: ask => retryUnsent(reaching, instance => instance.read(ask)),
    invoke: ask => retryUnsent(reaching, instance => instance.invoke(ask)),
    call: ask => retryUnsent(reaching, instance => instance.call(ask)),
    construct: ask => retryUnsent(reaching, instance => instance.construct(ask)),
  }
}
