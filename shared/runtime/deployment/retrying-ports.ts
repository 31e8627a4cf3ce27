import {
  createStoreRetry,
  type StoreRetryDeps,
  createRetryingPorts,
} from '../../engine/deployment/retry/store-retry.ts'
import type { GeneratorPorts } from './generator-ports.ts'
import type { RunInput } from '../environment/run-input.ts'

type RetryOptions = Pick<StoreRetryDeps, 'shouldRetry' | 'onOutage'>

/** Returns the ports of a generator with store retries. */
export function withGeneratorStoreRetry(
  ports: GeneratorPorts,
  options: RetryOptions,
): GeneratorPorts {
  const retry = createStoreRetry({ clock: ports.clock, random: ports.random, ...options })
  return { ...createRetryingPorts(ports, retry), compact: retry(ports.compact) }
}

/**
 * Returns a run's input with store retries. The writes after a provider call (`lapse`,
 * `putOutcome`, `select`) are not retried here. The executor retries them for a longer time and
 * with other messages.
 */
export function withStoreRetry(input: RunInput, options: RetryOptions): RunInput {
  const { platform, ports } = input
  const retry = createStoreRetry({ clock: platform.clock, random: platform.random, ...options })
  const retryingPorts = createRetryingPorts(platform, retry)
  const { lapse, putOutcome, select } = platform.operations
  const operations = { ...retryingPorts.operations, lapse, putOutcome, select }
  const { get, putExpiring } = platform.callLimits
  const callLimits = { ...platform.callLimits, get: retry(get), putExpiring: retry(putExpiring) }
  return {
    ...input,
    platform: { ...retryingPorts, operations, callLimits },
    ports: { ...createRetryingPorts(ports, retry), compact: retry(ports.compact) },
  }
}
