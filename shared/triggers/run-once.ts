import { triggerLimits } from '../config/trigger-limits.ts'
import type { MarksPort } from '../ports/documents.ts'
import type { ClockPort } from '../ports/system.ts'
import type { EpochMs } from '../records/ids.ts'

/** What became of something that is to be done once. */
export type OnceResult<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** It was done before. */
  | { readonly kind: 'repeated' }
  /** Somebody is at it, or died at it less than `triggerLimits.deliveryClaimMs` ago. */
  | { readonly kind: 'underway' }

/**
 * Does something once for all of its names, for `keptMs`. What fails may be tried again, and what
 * somebody died at too: between the work and the mark that it is done there is a moment in which a
 * death lets it be done a second time, for not at all would be worse.
 */
export async function runOnce<T>(
  { marks, clock }: { readonly marks: MarksPort; readonly clock: Pick<ClockPort, 'now'> },
  { names, keptMs }: { readonly names: readonly string[]; readonly keptMs: number },
  work: () => Promise<T>,
): Promise<OnceResult<T>> {
  const expiryAfter = (ms: number): EpochMs => (clock.now() + ms) as EpochMs
  const isDone = async (): Promise<boolean> =>
    (await Promise.all(names.map(name => marks.isMarked(`done ${name}`)))).includes(true)
  if (await isDone()) return { kind: 'repeated' }
  const claimed: string[] = []
  try {
    for (const name of names) {
      if (!(await marks.mark(`claim ${name}`, expiryAfter(triggerLimits.deliveryClaimMs))))
        return { kind: 'underway' }
      claimed.push(name)
    }
    // Who held the claim before may have ended between the two looks.
    if (await isDone()) return { kind: 'repeated' }
    const value = await work()
    for (const name of names) await marks.mark(`done ${name}`, expiryAfter(keptMs))
    return { kind: 'done', value }
  } finally {
    for (const name of claimed) await marks.unmark(`claim ${name}`)
  }
}
