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
 * Does work only if it was not done under any of its ids in the last `retentionMs`. Work that threw
 * or crashed may be done again, after a crash once its claim has expired. A crash between the work
 * and its mark allows a second run, because lost work would be worse.
 */
export async function runOnce<T>(
  { marks, clock }: { readonly marks: MarksPort; readonly clock: Pick<ClockPort, 'now'> },
  { workIds, retentionMs }: { readonly workIds: readonly string[]; readonly retentionMs: number },
  work: () => Promise<T>,
): Promise<OnceResult<T>> {
  const expiryAfter = (ms: number): EpochMs => (clock.now() + ms) as EpochMs
  const isDone = async (): Promise<boolean> =>
    (await Promise.all(workIds.map(id => marks.isMarked(`done ${id}`)))).includes(true)
  if (await isDone()) return { kind: 'repeated' }
  const claimedIds: string[] = []
  try {
    for (const id of workIds) {
      if (!(await marks.mark(`claim ${id}`, expiryAfter(triggerLimits.deliveryClaimMs))))
        return { kind: 'underway' }
      claimedIds.push(id)
    }
    // The earlier holder of the claim may have finished between the two checks.
    if (await isDone()) return { kind: 'repeated' }
    const value = await work()
    for (const id of workIds) await marks.mark(`done ${id}`, expiryAfter(retentionMs))
    return { kind: 'done', value }
  } finally {
    for (const id of claimedIds) await marks.unmark(`claim ${id}`)
  }
}
