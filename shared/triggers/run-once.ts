import { triggerLimits } from '../config/trigger-limits.ts'
import type { MarksPort } from '../ports/documents.ts'
import type { ClockPort } from '../ports/system.ts'
import type { EpochMs } from '../records/ids.ts'

/** The result of work that must be done once. */
export type OnceResult<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** The work was done before. */
  | { readonly kind: 'repeated' }
  /**
   * Another process does the work, or crashed during it less than `triggerLimits.deliveryClaimMs`
   * ago.
   */
  | { readonly kind: 'underway' }

/**
 * Does work only if it was not done under any of its names in the last `retentionMs`. Failed work
 * may be repeated, also after a crash. A crash between the work and its mark allows a second run,
 * because lost work would be worse.
 */
export async function runOnce<T>(
  { marks, clock }: { readonly marks: MarksPort; readonly clock: Pick<ClockPort, 'now'> },
  { names, retentionMs }: { readonly names: readonly string[]; readonly retentionMs: number },
  work: () => Promise<T>,
): Promise<OnceResult<T>> {
  const expiryAfter = (ms: number): EpochMs => (clock.now() + ms) as EpochMs
  const isDone = async (): Promise<boolean> =>
    (await Promise.all(names.map(name => marks.isMarked(`done ${name}`)))).includes(true)
  if (await isDone()) return { kind: 'repeated' }
  const claimedNames: string[] = []
  try {
    for (const name of names) {
      if (!(await marks.mark(`claim ${name}`, expiryAfter(triggerLimits.deliveryClaimMs))))
        return { kind: 'underway' }
      claimedNames.push(name)
    }
    // The earlier holder of the claim may have finished between the two checks.
    if (await isDone()) return { kind: 'repeated' }
    const value = await work()
    for (const name of names) await marks.mark(`done ${name}`, expiryAfter(retentionMs))
    return { kind: 'done', value }
  } finally {
    for (const name of claimedNames) await marks.unmark(`claim ${name}`)
  }
}
