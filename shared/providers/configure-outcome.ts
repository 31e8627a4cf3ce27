import { assert } from '../errors/error.ts'
import { ProviderError } from './provider-error.ts'

/** The outcome of the configuration of one provider process, for which later calls wait. */
export interface ConfigureOutcome<T> {
  /**
   * Waits for the configuration. Throws its error. A `ProviderError` gets the status `ok`, because
   * the waiting call was not sent.
   */
  readonly waitUntilConfigured: () => Promise<T>
  /** Returns true if the configuration was skipped because it has unknown values. */
  readonly isUnconfigured: () => boolean
  /** Sets the outcome, at most once. Undefined: the configuration was skipped. */
  readonly setConfigureOutcome: (outcome: Promise<T> | undefined) => void
}

/**
 * Creates the outcome for a provider of the package. `skippedResult` is the result of a skipped
 * configuration.
 */
export function createConfigureOutcome<T>(pkg: string, skippedResult: T): ConfigureOutcome<T> {
  let outcome: Promise<T> | undefined
  let isUnconfigured = false
  return {
    async waitUntilConfigured() {
      assert(outcome !== undefined, `provider '${pkg}' is used before it is configured`)
      try {
        return await outcome
      } catch (thrown) {
        throw toUnsentError(thrown)
      }
    },
    isUnconfigured: () => isUnconfigured,
    setConfigureOutcome(result) {
      assert(outcome === undefined, `provider '${pkg}' is configured twice`)
      isUnconfigured = result === undefined
      outcome = result ?? Promise.resolve(skippedResult)
      // Every later call reports this failure. Until then the rejection must not count as
      // unhandled.
      outcome.catch(() => {})
    },
  }
}

/**
 * Converts an error of Configure for a call that waited for Configure. The call itself was never
 * sent, so it had no effect. The error is marked as unsent only after the loss of the process,
 * because a new process may succeed.
 */
function toUnsentError(thrown: unknown): unknown {
  if (!(thrown instanceof ProviderError) || thrown.status === 'ok') return thrown
  const { message, code } = thrown
  const isRequestUnsent = thrown.status === 'lost'
  return new ProviderError(message, { status: 'ok', code, isRequestUnsent, cause: thrown })
}
