import { status } from '@grpc/grpc-js'
import { ProviderError } from '../../provider-error.ts'

/**
 * Runs a change of an existing object. A crash of the provider is a failed change, as for
 * Terraform's core: the old state stays, and the next deployment finds the difference. A crash
 * because this process ends stays a lost call, which the engine repeats.
 */
export async function failOnCrash<T>(
  isEnding: () => boolean,
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change()
  } catch (thrown) {
    const isCrash = thrown instanceof ProviderError && thrown.status === 'lost' && !isEnding()
    if (!isCrash || thrown.isRequestUnsent) throw thrown
    throw new ProviderError(thrown.message, {
      status: 'unknown',
      code: status.UNKNOWN,
      cause: thrown,
    })
  }
}
