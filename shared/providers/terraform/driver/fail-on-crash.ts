import { status } from '@grpc/grpc-js'
import { ProviderError } from '../../provider-error.ts'

/**
 * Runs a change of an existing object. Converts a crash of the provider to a failed change, as
 * Terraform's core does: the old state remains, and the next deployment finds the difference. If
 * this process is ending, the crash remains a lost call, which the engine repeats.
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
