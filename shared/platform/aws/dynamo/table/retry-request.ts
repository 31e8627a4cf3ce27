import { dynamoLimits as limits } from '../../../../config/dynamo-limits.ts'
import type { ClockPort, RandomPort } from '../../../../ports/system.ts'
import { throttlingErrorNames } from './dynamo-error.ts'

/** Dependencies of retries. */
export interface RetryDeps {
  readonly clock: Pick<ClockPort, 'sleep'>
  readonly random: Pick<RandomPort, 'bytes'>
}

/** The result of one attempt: a value, or the reason for another attempt. */
export type RetryOutcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'again'; readonly reason: Error }

/**
 * Sends a request until it succeeds. Temporary failures (throttling, 5xx, no response) are retried
 * a few times. Conflicts and unprocessed batch items are retried more often. Each pause is a random
 * part of a time that doubles. The SDK's own retries are off: they share a budget that an outage
 * exhausts, and do not cover `TransactionConflictException` or unprocessed batch items. Throws the
 * error of the last attempt.
 */
export async function retryRequest<T>(
  deps: RetryDeps,
  attempt: () => Promise<RetryOutcome<T>>,
): Promise<T> {
  let failures = 0
  for (let pauses = 0; ; pauses += 1) {
    const outcome = await attempt().catch((thrown: unknown): RetryOutcome<T> => {
      if (isConflict(thrown)) return { kind: 'again', reason: thrown }
      failures += 1
      if (!isTransientError(thrown) || failures >= limits.transientAttemptsMax) throw thrown
      return { kind: 'again', reason: thrown }
    })
    if (outcome.kind === 'done') return outcome.value
    if (pauses >= limits.pausesMax) throw outcome.reason
    await backOff(deps, pauses)
  }
}

/**
 * Waits for a random time, whose maximum doubles with each earlier pause, up to a limit. `pauses`
 * is the number of earlier pauses.
 */
export async function backOff({ clock, random }: RetryDeps, pauses: number): Promise<void> {
  const maxPauseMs = Math.min(limits.longestRetryPauseMs, limits.firstRetryPauseMs * 2 ** pauses)
  const [byte = 0] = random.bytes(1)
  await clock.sleep(Math.ceil((maxPauseMs * (byte + 1)) / 256))
}

/** The names and codes of temporary failures of the service, the SDK and the sockets. */
const transientErrorNames: ReadonlySet<string> = new Set([
  ...throttlingErrorNames,
  'InternalServerError',
  'InternalFailure',
  'ServiceUnavailable',
  'RequestTimeout',
  'TimeoutError',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
])

/** Reports whether the same request may succeed later. The failed request may have taken effect. */
function isTransientError(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error)) return false
  const code = 'code' in thrown ? String(thrown.code) : ''
  const { httpStatusCode = 0 } =
    '$metadata' in thrown ? (thrown.$metadata as { readonly httpStatusCode?: number }) : {}
  return (
    transientErrorNames.has(thrown.name) || transientErrorNames.has(code) || httpStatusCode >= 500
  )
}

/**
 * Reports whether a write conflicted with a transaction on the same item, or whether an earlier
 * attempt of the same transaction is still in progress.
 */
function isConflict(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error)) return false
  return (
    thrown.name === 'TransactionConflictException' ||
    thrown.name === 'TransactionInProgressException'
  )
}
