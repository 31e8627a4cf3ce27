import { limits } from '../config/limits.ts'
import { pluginLimits } from '../config/plugin-limits.ts'
import { DeployError, hasCode } from '../errors/error.ts'
import { ProviderError } from './provider-error.ts'

/**
 * The limits of retries: a number of attempts or a time, with growing pauses. With neither
 * `attemptsMax` nor `totalMs`, the retries never end.
 */
interface RetryLimits {
  readonly attemptsMax?: number
  readonly totalMs?: number
  /**
   * Maximum of the first pause. The maximum doubles for each later pause, up to `longestPauseMs`.
   */
  readonly firstPauseMs: number
  readonly longestPauseMs: number
}

/** The consequences of an error from one source. */
interface ErrorPolicy {
  readonly source: string
  readonly consequence: string
  /**
   * The verdict of the operation whose call failed. Undefined: the operation is begun again later.
   */
  readonly verdict?: 'failed' | 'interrupted'
  readonly retry?: RetryLimits
}

/** The retry limits of a message that the queue delivers again. */
const redelivery = {
  attemptsMax: limits.deliveriesMax,
  firstPauseMs: limits.redeliveryMs,
  longestPauseMs: 60_000,
} as const

/**
 * The consequences of an error, by its source. The message and the gRPC code of a provider's error
 * have no influence. A test generates the page docs/retry-policy.md from this table. Source:
 * docs/reliability.md#sources-of-errors.
 */
export const retryPolicy = {
  provider: {
    source: 'the provider, with its own status',
    consequence:
      'the operation failed, or succeeded partially; this is final for every code, as in Pulumi',
    verdict: 'failed',
  },
  unsent: {
    source: "the plugin's process or connection, before the request was written",
    consequence:
      'the provider did not receive the request: the executor checks its lease, then retries the call and reports it; a dead process is replaced',
    verdict: 'failed',
    retry: {
      attemptsMax: pluginLimits.callAttemptsMax,
      firstPauseMs: pluginLimits.callRetryPauseMs,
      longestPauseMs: 2 * pluginLimits.callRetryPauseMs,
    },
  },
  lost: {
    source: "the plugin's process or connection, after the request was written",
    consequence:
      'the effect is unknown: a create is interrupted; a repeatable operation loses its owner, and the same executor begins it again',
    verdict: 'interrupted',
    retry: { attemptsMax: limits.deliveriesMax, firstPauseMs: 200, longestPauseMs: 60_000 },
  },
  plugin: {
    source: 'a plugin that does not start, does not respond or fails its handshake',
    consequence: 'the operations that need it fail after the last start',
    verdict: 'failed',
    retry: {
      attemptsMax: pluginLimits.startsMax,
      firstPauseMs: pluginLimits.startPauseMs,
      longestPauseMs: 2 * pluginLimits.startPauseMs,
    },
  },
  lease: {
    source: "the executor's own lease, before the request was written",
    consequence: 'the provider did not receive a request: the begun operation is given back',
  },
  store: {
    source: 'the store, the blobs or the sending of messages, for any caller',
    consequence:
      'the request is retried, and the user is informed after two seconds; then the caller ends, and running operations are recorded if possible',
    verdict: 'failed',
    retry: { totalMs: limits.storeRetryTimeMs, firstPauseMs: 100, longestPauseMs: 3_000 },
  },
  storeAtBegin: {
    source:
      'the store, at a begin or the check of the stop flag, for longer than the caller retries',
    consequence:
      'the provider did not receive a request: the begun operation is given back, and the message is redelivered',
    retry: redelivery,
  },
  storeAfterCall: {
    source: 'the store, after a provider has responded',
    consequence: 'the outcome is kept and written as soon as possible, which is reported once',
    retry: { totalMs: limits.outcomeRetryMs, firstPauseMs: 100, longestPauseMs: 3_000 },
  },
  queue: {
    source: 'the queue, while a receiver waits for messages',
    consequence: 'the receiver retries forever; after a success the pauses start short again',
    retry: { firstPauseMs: 1_000, longestPauseMs: 15_000 },
  },
  installation: {
    source: 'the installation of packages, before the program runs',
    consequence: 'the installation is retried, which is reported',
    retry: { attemptsMax: 3, firstPauseMs: 1_000, longestPauseMs: 2_000 },
  },
  internal: {
    source: 'the code of this project, or an unreadable record',
    consequence:
      'the operation fails with that reason, or is interrupted if the provider may have received a request',
    verdict: 'failed',
    retry: redelivery,
  },
} as const satisfies Readonly<Record<string, ErrorPolicy>>

/** The possible sources of an error in an operation. */
export type ErrorSource = 'provider' | 'unsent' | 'lost' | 'plugin' | 'lease' | 'store' | 'internal'

/**
 * Error codes of stores, queues and key services, including those of failures that last until a
 * user acts.
 */
const storeCodes = [
  'STORE_UNAVAILABLE',
  'STORE_DENIED',
  'STORE_MISSING',
  'STORE_CREDENTIALS',
  'STORE_REGION_WRONG',
  'SECRETS_KEY_DENIED',
  'SECRETS_KEY_MISSING',
  'SECRETS_CREDENTIALS_MISSING',
  'SECRETS_SERVICE_UNAVAILABLE',
] as const

/** Returns the source of a thrown error. */
export function errorSourceOf(thrown: unknown): ErrorSource {
  if (thrown instanceof ProviderError) {
    if (thrown.isRequestUnsent) return 'unsent'
    return thrown.status === 'lost' ? 'lost' : 'provider'
  }
  if (hasCode(thrown, 'LEASE_LOST')) return 'lease'
  if (storeCodes.some(code => hasCode(thrown, code))) return 'store'
  return hasCode(thrown, 'PLUGIN_FAILED') ? 'plugin' : 'internal'
}

/** Reports whether a retry is useless because this process closed the store or the queue itself. */
export function isClosedByThisProcess(thrown: unknown): boolean {
  return thrown instanceof DeployError && thrown.details['reason'] === 'closed'
}

/**
 * Returns the verdict of an operation whose call failed. Undefined: the operation is begun again
 * later.
 */
export function chooseVerdictAfterError(thrown: unknown): 'failed' | 'interrupted' | undefined {
  const policy: ErrorPolicy = retryPolicy[errorSourceOf(thrown)]
  return policy.verdict
}
