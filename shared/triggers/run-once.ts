import { triggerLimits } from '../config/trigger-limits.ts'
import type { MarksPort } from '../ports/documents.ts'
import type { ClockPort } from '../ports/system.ts'
import type { EpochMs } from '../records/ids.ts'

/** The result of a task that must run once. */
export type OnceResult<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** The task was completed before. */
  | { readonly kind: 'repeated' }
  /**
   * Another process runs the task, or crashed during it less than `triggerLimits.deliveryClaimMs`
   * ago.
   */
  | { readonly kind: 'underway' }

/**
 * Runs a task only if it was not completed under any of its ids in the last `retentionMs`. A task
 * that threw may run again. A task that crashed, or that takes longer than
 * `triggerLimits.deliveryClaimMs`, may run again when its claim has expired. The mark of completion
 * is set after the task, so a crash between them causes a second run. A lost task would be worse.
 */
export async function runOnce<T>(
  { marks, clock }: { readonly marks: MarksPort; readonly clock: Pick<ClockPort, 'now'> },
  { taskIds, retentionMs }: { readonly taskIds: readonly string[]; readonly retentionMs: number },
  task: () => Promise<T>,
): Promise<OnceResult<T>> {
  const computeExpiry = (ms: number): EpochMs => (clock.now() + ms) as EpochMs
  const isCompleted = async (): Promise<boolean> =>
    (await Promise.all(taskIds.map(id => marks.isMarked(`done ${id}`)))).includes(true)
  if (await isCompleted()) return { kind: 'repeated' }
  const claimedIds: string[] = []
  try {
    for (const id of taskIds) {
      if (!(await marks.mark(`claim ${id}`, computeExpiry(triggerLimits.deliveryClaimMs))))
        return { kind: 'underway' }
      claimedIds.push(id)
    }
    // The earlier holder of the claim may have finished between the two checks.
    if (await isCompleted()) return { kind: 'repeated' }
    const value = await task()
    for (const id of taskIds) await marks.mark(`done ${id}`, computeExpiry(retentionMs))
    return { kind: 'done', value }
  } finally {
    for (const id of claimedIds) await marks.unmark(`claim ${id}`)
  }
}
