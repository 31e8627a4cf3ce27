import { messageOf } from '../errors/error.ts'
import type { Provider } from './provider.ts'
import { errorSourceOf, retryPolicy } from './retry-policy.ts'

/** The functions that a retried call needs. */
export interface UnsentRetry {
  /** Returns the current instance, restarted if its process has ended. */
  readonly getInstance: () => Promise<Provider>
  /**
   * Reports the reason of a retry, and resolves when the retry may begin, after a pause.
   * `retryIndex` begins with 0.
   */
  readonly beforeRetry: (retryIndex: number, reason: string) => Promise<void>
}

/**
 * Calls a provider. Repeats the call when the request was never written because the connection
 * failed. Throws the error of the last attempt. Source: docs/reliability.md#sources-of-errors.
 */
export async function retryUnsent<T>(
  { getInstance, beforeRetry }: UnsentRetry,
  call: (provider: Provider) => Promise<T>,
): Promise<T> {
  for (let retryIndex = 0; ; retryIndex++) {
    const provider = await getInstance()
    try {
      return await call(provider)
    } catch (thrown) {
      const isLast = retryIndex + 1 >= retryPolicy.unsent.retry.attemptsMax
      if (errorSourceOf(thrown) !== 'unsent' || isLast) throw thrown
      await beforeRetry(retryIndex, messageOf(thrown))
    }
  }
}

/**
 * Returns a provider that uses `retryUnsent` for Check, Diff, Read, Invoke, Call and Construct. The
 * executor itself retries Create, Update and Delete, because it must check its lease immediately
 * before each attempt.
 */
export function withUnsentRetry(provider: Provider, retryDeps: UnsentRetry): Provider {
  return {
    ...provider,
    check: request => retryUnsent(retryDeps, instance => instance.check(request)),
    diff: request => retryUnsent(retryDeps, instance => instance.diff(request)),
    read: request => retryUnsent(retryDeps, instance => instance.read(request)),
    invoke: request => retryUnsent(retryDeps, instance => instance.invoke(request)),
    call: request => retryUnsent(retryDeps, instance => instance.call(request)),
    construct: request => retryUnsent(retryDeps, instance => instance.construct(request)),
  }
}
