import { limits } from '../config/limits.ts'
import { pluginLimits } from '../config/plugin-limits.ts'
import { DeployError, hasCode } from '../errors/error.ts'
import { ProviderError } from './provider.ts'

/** How something is tried again: so often or so long, whichever is given, with growing pauses. */
interface RetryLimits {
  readonly times?: number
  readonly forMs?: number
  /** The first pause at most; each later one is twice as long, up to the longest. */
  readonly firstMs: number
  readonly mostMs: number
}

/** What follows from an error of one producer. */
interface ErrorPolicy {
  readonly who: string
  readonly happens: string
  /** How an operation ends in whose call it came; undefined: it goes back to nobody. */
  readonly ends?: 'failed' | 'interrupted'
  readonly again?: RetryLimits
}

/** A message that comes again, as often as the queue may deliver it. */
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
    who: 'the provider, with a status of its own',
    happens:
      'the operation has failed, or succeeded in part; whatever the code, that is final, as in Pulumi',
    ends: 'failed',
  },
  unasked: {
    who: "the plugin's process or connection, before the request was written",
    happens:
      'nobody was asked: the call is made again, of a new process where the old one died, and each try is told; the ' +
      'lease is looked at before each',
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
      'nobody knows: a create is interrupted; what may be repeated loses its owner and is begun again by the same executor',
    ends: 'interrupted',
    again: { times: limits.deliveriesMax, firstMs: 200, mostMs: 60_000 },
  },
  plugin: {
    who: 'a plugin that does not start, does not answer or fails its handshake',
    happens: 'what needs it has failed, once the last start has',
    ends: 'failed',
    again: {
      times: pluginLimits.startsMax,
      firstMs: pluginLimits.startPauseMs,
      mostMs: 2 * pluginLimits.startPauseMs,
    },
  },
  lease: {
    who: "the executor's own lease, before the request was written",
    happens: 'nobody was asked: what was begun is given back',
  },
  store: {
    who: 'the store, the blobs or the sending of messages, whoever asks',
    happens:
      'the request is repeated, and after two seconds a person is told so; then what asked for it ends, and what runs ' +
      'is recorded if it can be',
    ends: 'failed',
    again: { forMs: limits.storeTriedMs, firstMs: 100, mostMs: 3_000 },
  },
  storeAtBegin: {
    who: 'the store, at a begin or the look at the stop flag, for longer than that',
    happens: 'nobody was asked: what was begun is given back, and the message comes again',
    again: deliveredAgain,
  },
  storeAfterCall: {
    who: 'the store, after a provider has answered',
    happens: 'the outcome is kept and written as soon as it can be, which is said once',
    again: { forMs: limits.outcomeKeptMs, firstMs: 100, mostMs: 3_000 },
  },
  queue: {
    who: 'the queue, while messages are awaited',
    happens: 'it is asked again for ever, and soon again once it has answered',
    again: { firstMs: 1_000, mostMs: 15_000 },
  },
  installation: {
    who: 'the installation of packages, before anything else',
    happens: 'it is run again, which is said',
    again: { times: 3, firstMs: 1_000, mostMs: 2_000 },
  },
  ours: {
    who: 'our own code, or a record that cannot be opened',
    happens:
      'the operation has failed with that reason, or is interrupted where somebody may have been asked',
    ends: 'failed',
    again: deliveredAgain,
  },
} as const satisfies Readonly<Record<string, ErrorPolicy>>

/** Who can have produced something that was thrown. */
export type ErrorSource = 'provider' | 'unasked' | 'lost' | 'plugin' | 'lease' | 'store' | 'ours'

/** What stores and queues answer for; also what lasts until a person acts. */
const storeCodes = [
  'STORE_UNAVAILABLE',
  'STORE_DENIED',
  'STORE_MISSING',
  'STORE_CREDENTIALS',
  'STORE_REGION_WRONG',
] as const

/** Who produced what was thrown. */
export function errorSourceOf(thrown: unknown): ErrorSource {
  if (thrown instanceof ProviderError) {
    if (thrown.isRequestUnsent) return 'unasked'
    return thrown.status === 'lost' ? 'lost' : 'provider'
  }
  if (hasCode(thrown, 'LEASE_LOST')) return 'lease'
  if (storeCodes.some(code => hasCode(thrown, code))) return 'store'
  return hasCode(thrown, 'PLUGIN_FAILED') ? 'plugin' : 'ours'
}

/** Whether asking again is in vain: this process has closed the store or the queue itself. */
export function isClosedByThisProcess(thrown: unknown): boolean {
  return thrown instanceof DeployError && thrown.details['reason'] === 'closed'
}

/** How an operation ends in whose call it was thrown; undefined: it goes back to nobody. */
export function verdictAfterError(thrown: unknown): 'failed' | 'interrupted' | undefined {
  const consequence: ErrorPolicy = retryPolicy[errorSourceOf(thrown)]
  return consequence.ends
}
