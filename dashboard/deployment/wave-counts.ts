import { hasFailed, type ShownOperation } from '../api/operation-views.ts'

/** The deletes of a wave by their state. */
export interface WaveCounts {
  readonly wave: number
  readonly total: number
  readonly done: number
  readonly running: number
  readonly failed: number
}

/** Counts the deletes of each wave. Operations without a wave are omitted. Pure. */
export function countWaves(operations: readonly ShownOperation[]): readonly WaveCounts[] {
  const waves = new Map<number, { total: number; done: number; running: number; failed: number }>()
  for (const operation of operations) {
    const { wave, stage } = operation
    if (wave === undefined) continue
    const counts = waves.get(wave) ?? { total: 0, done: 0, running: 0, failed: 0 }
    waves.set(wave, counts)
    counts.total += 1
    if (stage === 'running') counts.running += 1
    else if (stage === 'ended') counts[hasFailed(operation) ? 'failed' : 'done'] += 1
  }
  return [...waves]
    .map(([wave, counts]) => ({ wave, ...counts }))
    .toSorted((a, b) => a.wave - b.wave)
}
