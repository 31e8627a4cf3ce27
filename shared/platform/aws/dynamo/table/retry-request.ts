import { dynamoLimits as limits } from '../../../../config/dynamo-limits.ts'
import type { ClockPort, RandomPort } from '../../../../ports/system.ts'
import { throttles } from './dynamo-error.ts'

/** Dependencies of retries. */
export interface RetryDeps {
  readonly clock: Pick<ClockPort, 'sleep'>
  readonly random: Pick<RandomPort, 'bytes'>
}

/** The result of one attempt: done, or to be retried because of `why`. */
export type RetryOutcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'again'; readonly why: Error }

/**
 * Retries a request. Temporary failures (throttling, 5xx, no response) are retried a few times,
 * conflicts and unprocessed batch items more often. Each pause is a random part of a time that
 * doubles. The SDK's client does not retry: its attempts share a budget that an outage exhausts,
 * and it does not retry conflicts or batches.
 */
export async function retryRequest<T>(
  deps: RetryDeps,
  attempt: () => Promise<RetryOutcome<T>>,
): Promise<T> {
  let failures = 0
  for (let pauses = 0; ; pauses += 1) {
    const tried = await attempt().catch((thrown: unknown): RetryOutcome<T> => {
      if (isConflict(thrown)) return { kind: 'again', why: thrown }
      failures += 1
      if (!isTransient(thrown) || failures >= limits.attemptsMax) throw thrown
      return { kind: 'again', why: thrown }
    })
    if (tried.kind === 'done') return tried.value
    if (pauses >= limits.repeatsMax) throw tried.why
    await backOff(deps, pauses)
  }
}

/** Waits for the pause that follows `pauses` earlier ones. */
export async function backOff({ clock, random }: RetryDeps, pauses: number): Promise<void> {
  const mostMs = Math.min(limits.repeatMostMs, limits.repeatFirstMs * 2 ** pauses)
  const [byte = 0] = random.bytes(1)
  await clock.sleep(Math.ceil((mostMs * (byte + 1)) / 256))
}

/** Names of temporary failures of the service, the SDK and the sockets. */
const passing: ReadonlySet<string> = new Set([
  ...throttles,
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

/**
 * Reports whether the same request may succeed later. It is unknown whether this one took effect.
 */
function isTransient(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error)) return false
  const code = 'code' in thrown ? String(thrown.code) : ''
  const { httpStatusCode = 0 } =
    '$metadata' in thrown ? (thrown.$metadata as { readonly httpStatusCode?: number }) : {}
  return passing.has(thrown.name) || passing.has(code) || httpStatusCode >= 500
}

/** Reports whether a write conflicted with a transaction on the same item. */
function isConflict(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error)) return false
  return (
    thrown.name === 'TransactionConflictException' ||
    thrown.name === 'TransactionInProgressException'
  )
}
