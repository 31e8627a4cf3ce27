import { formatNumber } from '../format/format-count.ts'
import type { OperationRow } from './operation-row.ts'

/** Numbers of operations by state. Unchanged resources are counted apart. */
interface StateCounts {
  readonly waiting: number
  readonly running: number
  readonly done: number
  readonly failed: number
  readonly unchanged: number
  /** The steps of a preview. */
  readonly planned: number
}

/** Counts the operations of a deployment by state. Pure. */
export function countStates(rows: readonly Pick<OperationRow, 'op' | 'state'>[]): StateCounts {
  const counts = { waiting: 0, running: 0, done: 0, failed: 0, unchanged: 0, planned: 0 }
  for (const { op, state } of rows)
    if (op === 'same' && state === 'done') counts.unchanged += 1
    else counts[state] += 1
  return counts
}

/** Returns the counts of an open deployment as texts. Pure. */
export function progressTextsOf({ waiting, running, done, failed, unchanged }: StateCounts) {
  const parts: readonly (readonly [count: number, word: string])[] = [
    [waiting, 'waiting'],
    [running, 'running'],
    [done, 'done'],
    [failed, 'failed'],
    [unchanged, 'unchanged'],
  ]
  return parts.filter(([count]) => count > 0).map(([n, word]) => `${formatNumber(n)} ${word}`)
}
