import {
  createStoreRetry,
  type StoreRetryDeps,
  createRetryingPorts,
} from '../../engine/deployment/retry/store-retry.ts'
import type { GeneratorPorts } from './generator-ports.ts'
import type { RunInput } from '../environment/run-input.ts'

type RetryOptions = Pick<StoreRetryDeps, 'shouldRetry' | 'onOutage'>

/** The ports of a generator, patient with a store that has a bad moment. */
export function withGeneratorStoreRetry(
  ports: GeneratorPorts,
  options: RetryOptions,
): GeneratorPorts {
  const retry = createStoreRetry({ clock: ports.clock, random: ports.random, ...options })
  return { ...createRetryingPorts(ports, retry), compact: retry(ports.compact) }
}

/**
 * What is asked, with ports that are patient. What came of a provider's call is recorded by an
 * executor with a patience of its own, which lasts longer and says more.
 */
export function withStoreRetry(input: RunInput, options: RetryOptions): RunInput {
  const { platform, ports } = input
  const retry = createStoreRetry({ clock: platform.clock, random: platform.random, ...options })
  const retryingPorts = createRetryingPorts(platform, retry)
  const { lapse, putOutcome, select } = platform.operations
  const operations = { ...retryingPorts.operations, lapse, putOutcome, select }
  return {
    ...input,
    platform: { ...retryingPorts, operations },
    ports: { ...createRetryingPorts(ports, retry), compact: retry(ports.compact) },
  }
}
