import { formatNumber } from '../format/format-count.ts'
import type { OperationRow } from './operation-row.ts'

/** Numbers of operations by state. Unchanged resources are counted apart. */
export interface StateCounts {
  readonly waiting: number
  readonly running: number
  readonly done: number
  readonly failed: number
  readonly unchanged: number
  /** The steps of a preview. */
  readonly planned: number
}

/** Returns counts of 0, which the caller may change. */
export function createEmptyCounts(): Record<keyof StateCounts, number> {
  return { waiting: 0, running: 0, done: 0, failed: 0, unchanged: 0, planned: 0 }
}

/** Returns the count to which an operation belongs. Pure. */
export function countKeyOf({ op, state }: Pick<OperationRow, 'op' | 'state'>): keyof StateCounts {
  return op === 'same' && (state === 'done' || state === 'planned') ? 'unchanged' : state
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
