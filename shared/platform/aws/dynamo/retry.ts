import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { ClockPort, RandomPort } from '../../../ports/system.ts'

/** What our own repetitions need. */
export interface RetryDeps {
  readonly clock: Pick<ClockPort, 'sleep'>
  readonly random: Pick<RandomPort, 'bytes'>
}

/** What one try came to: done, or to be tried again because of `why`. */
export type Try<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'again'; readonly why: Error }

/**
 * Repeats what the SDK does not: conflicts of transactions, and what a batch left undone. Each pause
 * is a random part of a time that doubles. Throws the last `why` after the last try.
 */
export async function repeated<T>(deps: RetryDeps, once: () => Promise<Try<T>>): Promise<T> {
  for (let pauses = 0; ; pauses += 1) {
    const tried = await once()
    if (tried.kind === 'done') return tried.value
    if (pauses >= limits.repeatsMax) throw tried.why
    await pause(deps, pauses)
  }
}

/** The pause after `pauses` others. */
export async function pause({ clock, random }: RetryDeps, pauses: number): Promise<void> {
  const mostMs = Math.min(limits.repeatMostMs, limits.repeatFirstMs * 2 ** pauses)
  const [byte = 0] = random.bytes(1)
  await clock.sleep(Math.ceil((mostMs * (byte + 1)) / 256))
}

/** Whether a write on one item met a transaction on it. */
export function isConflict(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error)) return false
  return (
    thrown.name === 'TransactionConflictException' ||
    thrown.name === 'TransactionInProgressException'
  )
}
