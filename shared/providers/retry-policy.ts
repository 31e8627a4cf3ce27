import { limits } from '../config/limits.ts'
import { pluginLimits } from '../config/plugin-limits.ts'
import { DeployError, hasCode } from '../errors/error.ts'
import { ProviderError } from './provider-error.ts'

/** The limits of retries: a number of attempts or a time, with growing pauses. */
interface RetryLimits {
  readonly times?: number
  readonly forMs?: number
  /** Longest first pause. Each later one is twice as long, up to the longest. */
  readonly firstMs: number
  readonly mostMs: number
}

/** The consequences of an error from one source. */
interface ErrorPolicy {
  readonly who: string
  readonly happens: string
  /** The end of the operation whose call failed. Undefined: it is begun again later. */
  readonly ends?: 'failed' | 'interrupted'
  readonly again?: RetryLimits
}

/** A message that is redelivered, up to the queue's limit. */
const deliveredAgain = {
  times: limits.deliveriesMax,
  firstMs: limits.retryMs,
  mostMs: 60_000,
} as const

/**
 * Whose error it is and what follows: from the producer, never from a text or a code. The page
 * docs/retry-policy.md is made from it. Source: docs/reliability.md#sources-of-errors.
 */
export const retryPolicy = {
  provider: {
    who: 'the provider, with its own status',
    happens:
      'the operation failed, or succeeded partially; this is final for every code, as in Pulumi',
    ends: 'failed',
  },
  unasked: {
    who: "the plugin's process or connection, before the request was written",
    happens:
      'the provider did not receive the request: the executor checks its lease, then retries the call and reports it; a dead process is replaced',
    ends: 'failed',
    again: {
      times: pluginLimits.triesMax,
      firstMs: pluginLimits.tryPauseMs,
      mostMs: 2 * pluginLimits.tryPauseMs,
    },
  },
  lost: {
    who: "the plugin's process or connection, after the request was written",
    happens:
      'the effect is unknown: a create is interrupted; a repeatable operation loses its owner, and the same executor begins it again',
    ends: 'interrupted',
    again: { times: limits.deliveriesMax, firstMs: 200, mostMs: 60_000 },
  },
  plugin: {
    who: 'a plugin that does not start, does not respond or fails its handshake',
    happens: 'the operations that need it fail after the last start',
    ends: 'failed',
    again: {
      times: pluginLimits.startsMax,
      firstMs: pluginLimits.startPauseMs,
      mostMs: 2 * pluginLimits.startPauseMs,
    },
  },
  lease: {
    who: "the executor's own lease, before the request was written",
    happens: 'the provider did not receive a request: the begun operation is given back',
  },
  store: {
    who: 'the store, the blobs or the sending of messages, for any caller',
    happens:
      'the request is retried, and the user is informed after two seconds; then the caller ends, and running operations are recorded if possible',
    ends: 'failed',
    again: { forMs: limits.storeTriedMs, firstMs: 100, mostMs: 3_000 },
  },
  storeAtBegin: {
    who: 'the store, at a begin or the check of the stop flag, for longer than that',
    happens:
      'the provider did not receive a request: the begun operation is given back, and the message is redelivered',
    again: deliveredAgain,
  },
  storeAfterCall: {
    who: 'the store, after a provider has responded',
    happens: 'the outcome is kept and written as soon as possible, which is reported once',
    again: { forMs: limits.outcomeKeptMs, firstMs: 100, mostMs: 3_000 },
  },
  queue: {
    who: 'the queue, while a receiver waits for messages',
    happens: 'the receiver retries forever; after a success the pauses start short again',
    again: { firstMs: 1_000, mostMs: 15_000 },
  },
  installation: {
    who: 'the installation of packages, before the program runs',
    happens: 'the installation is retried, which is reported',
    again: { times: 3, firstMs: 1_000, mostMs: 2_000 },
  },
  ours: {
    who: 'the code of this project, or an unreadable record',
    happens:
      'the operation fails with that reason, or is interrupted if the provider may have received a request',
    ends: 'failed',
    again: deliveredAgain,
  },
} as const satisfies Readonly<Record<string, ErrorPolicy>>

/** The possible sources of an error. */
export type ErrorSource = 'provider' | 'unasked' | 'lost' | 'plugin' | 'lease' | 'store' | 'ours'

/** Error codes of stores and queues, including those that last until a user acts. */
const storeCodes = [
  'STORE_UNAVAILABLE',
  'STORE_DENIED',
  'STORE_MISSING',
  'STORE_CREDENTIALS',
  'STORE_REGION_WRONG',
] as const

/** Returns the source of a thrown error. */
export function errorSourceOf(thrown: unknown): ErrorSource {
  if (thrown instanceof ProviderError) {
    if (thrown.isRequestUnsent) return 'unasked'
    return thrown.status === 'lost' ? 'lost' : 'provider'
  }
  if (hasCode(thrown, 'LEASE_LOST')) return 'lease'
  if (storeCodes.some(code => hasCode(thrown, code))) return 'store'
  return hasCode(thrown, 'PLUGIN_FAILED') ? 'plugin' : 'ours'
}

/** Reports whether a retry is useless because this process closed the store or the queue itself. */
export function isClosedByThisProcess(thrown: unknown): boolean {
  return thrown instanceof DeployError && thrown.details['reason'] === 'closed'
}

/** Returns how the operation ends whose call failed. Undefined: it is begun again later. */
export function verdictAfterError(thrown: unknown): 'failed' | 'interrupted' | undefined {
  const consequence: ErrorPolicy = retryPolicy[errorSourceOf(thrown)]
  return consequence.ends
}
