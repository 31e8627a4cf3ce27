import type { Release } from '../../records/log.ts'
import type { DeleteEdges } from './delete-edges.ts'

/**
 * Returns the waves (antichains) of condemned states. The first one contains the states without
 * condemned dependents. Each further one contains the states whose condemned dependents are all in
 * earlier waves. Waves are displayed to users; deletes wait for whole waves only on request. Linear
 * in the edges. Source: docs/decisions/0012-barriers-are-arrivals-not-ends.md.
 */
export function wavesOf(
  condemned: readonly number[],
  edges: DeleteEdges,
): readonly (readonly number[])[] {
  const waits = new Map<number, number>(condemned.map(index => [index, 0]))
  const groupWaits = new Map<string, number>()
  for (const { states, groups } of edges.releases.values()) {
    for (const index of states) waits.set(index, (waits.get(index) ?? 0) + 1)
    for (const key of groups) groupWaits.set(key, (groupWaits.get(key) ?? 0) + 1)
  }
  for (const states of edges.groups.values())
    for (const index of states) waits.set(index, (waits.get(index) ?? 0) + 1)
  const waves: number[][] = []
  let wave = condemned.filter(index => waits.get(index) === 0)
  while (wave.length > 0) {
    waves.push(wave)
    const next: number[] = []
    const release = (index: number): void => {
      const left = (waits.get(index) ?? 0) - 1
      waits.set(index, left)
      if (left === 0) next.push(index)
    }
    for (const index of wave) {
      const { states = [], groups = [] } = edges.releases.get(index) ?? {}
      for (const target of states) release(target)
      for (const key of groups) {
        const left = (groupWaits.get(key) ?? 0) - 1
        groupWaits.set(key, left)
        if (left === 0) for (const target of edges.groups.get(key) ?? []) release(target)
      }
    }
    wave = next
  }
  return waves
}

/**
 * Returns the number and widths of waves as a text for users. Undefined for fewer than two deletes.
 */
export function describeWaves(
  waves: readonly (readonly number[])[],
  release: Release,
): string | undefined {
  const widths = waves.map(wave => wave.length)
  const total = widths.reduce((sum, width) => sum + width, 0)
  if (total < 2) return undefined
  const shown = widths.length > 8 ? [...widths.slice(0, 7), '…', widths.at(-1)] : widths
  const widest = Math.max(...widths)
  return (
    `${total} deletes in ${widths.length} ${widths.length === 1 ? 'wave' : 'waves'} (${shown.join(', ')}), at most ${widest} in parallel` +
    (release === 'antichain' && widths.length > 1 ? ', each wave after the previous one' : '')
  )
}
