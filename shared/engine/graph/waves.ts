import type { DeleteRelease } from '../../records/log.ts'
import type { DeleteEdges } from './delete-edges.ts'

/**
 * Returns the waves (antichains) of condemned states. The first wave contains the states without
 * condemned dependents. Each further wave contains the states whose condemned dependents are all in
 * earlier waves. Waves are displayed to users. Barriers separate them on request, or to limit the
 * number of concurrent deletes. Linear in the edges. Source:
 * docs/decisions/0012-barriers-receive-arrivals.md.
 */
export function wavesOf(
  condemned: readonly number[],
  edges: DeleteEdges,
): readonly (readonly number[])[] {
  const waitCounts = new Map<number, number>(condemned.map(index => [index, 0]))
  const groupWaitCounts = new Map<string, number>()
  for (const { states, groups } of [...edges.releases.values(), ...edges.groups.values()]) {
    for (const index of states) waitCounts.set(index, (waitCounts.get(index) ?? 0) + 1)
    for (const key of groups) groupWaitCounts.set(key, (groupWaitCounts.get(key) ?? 0) + 1)
  }
  const waves: number[][] = []
  let wave = condemned.filter(index => waitCounts.get(index) === 0)
  while (wave.length > 0) {
    waves.push(wave)
    const nextWave: number[] = []
    const removeWait = (index: number): void => {
      const remainingWaits = (waitCounts.get(index) ?? 0) - 1
      waitCounts.set(index, remainingWaits)
      if (remainingWaits === 0) nextWave.push(index)
    }
    // Groups that become free are added while the loop runs.
    const pendingReleases = wave.flatMap(index => edges.releases.get(index) ?? [])
    for (const releases of pendingReleases) {
      for (const target of releases.states) removeWait(target)
      for (const key of releases.groups) {
        const remainingWaits = (groupWaitCounts.get(key) ?? 0) - 1
        groupWaitCounts.set(key, remainingWaits)
        const group = edges.groups.get(key)
        if (remainingWaits === 0 && group !== undefined) pendingReleases.push(group)
      }
    }
    wave = nextWave
  }
  return waves
}

/**
 * Returns the number and widths of waves as a text for users. Returns undefined for fewer than two
 * deletes.
 */
export function describeWaves(
  waves: readonly (readonly number[])[],
  releaseMode: DeleteRelease,
): string | undefined {
  const widths = waves.map(wave => wave.length)
  const total = widths.reduce((sum, width) => sum + width, 0)
  if (total < 2) return undefined
  const shownWidths = widths.length > 8 ? [...widths.slice(0, 7), '…', widths.at(-1)] : widths
  const widest = Math.max(...widths)
  return (
    `${total} deletes in ${widths.length} ${widths.length === 1 ? 'wave' : 'waves'} (${shownWidths.join(', ')}), ${widest} in the largest` +
    (releaseMode === 'antichain' && widths.length > 1 ? ', each wave after the previous one' : '')
  )
}
