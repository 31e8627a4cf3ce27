import { dynamoLimits as limits } from '../../../../config/dynamo-limits.ts'
import type { ClockPort, RandomPort } from '../../../../ports/system.ts'
import { throttles } from './dynamo-error.ts'

/** What our own repetitions need. */
export interface RetryDeps {
  readonly clock: Pick<ClockPort, 'sleep'>
  readonly random: Pick<RandomPort, 'bytes'>
}

/** What one try came to: done, or to be tried again because of `why`. */
export type RetryOutcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'again'; readonly why: Error }

/**
 * Repeats what may come to something another time: failures that pass (throttling, 5xx, no reply) a
 * few times, conflicts and what a batch left undone more often. Each pause is a random part of a
 * time that doubles. All repetition is here and none in the client of the SDK, whose attempts share
 * an allowance that a bad spell uses up, and which repeats neither conflicts nor batches.
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

/** The pause after `pauses` others. */
export async function backOff({ clock, random }: RetryDeps, pauses: number): Promise<void> {
  const mostMs = Math.min(limits.repeatMostMs, limits.repeatFirstMs * 2 ** pauses)
  const [byte = 0] = random.bytes(1)
  await clock.sleep(Math.ceil((mostMs * (byte + 1)) / 256))
}

/** Names of failures that pass, by the service, the SDK and the sockets. */
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

/** Whether the same request may succeed another time. Whether this one took effect is unknown. */
function isTransient(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error)) return false
  const code = 'code' in thrown ? String(thrown.code) : ''
  const { httpStatusCode = 0 } =
    '$metadata' in thrown ? (thrown.$metadata as { readonly httpStatusCode?: number }) : {}
  return passing.has(thrown.name) || passing.has(code) || httpStatusCode >= 500
}

/** Whether a write on one item met a transaction on it. */
function isConflict(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error)) return false
  return (
    thrown.name === 'TransactionConflictException' ||
    thrown.name === 'TransactionInProgressException'
  )
}
