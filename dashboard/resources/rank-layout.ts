import type { ResourceGraph } from './resource-graph.ts'

/** The position of a resource. `y` increases upwards. */
export interface GraphPoint {
  readonly x: number
  readonly y: number
}

/** A rank of the layout: the resources of one wave, one above the other in one or more columns. */
export interface LayoutRank {
  readonly wave: number
  /** The number of resources of the rank. */
  readonly count: number
  /** The middle of the columns of the rank. */
  readonly x: number
}

/** The layout of a graph. The resources that a destroy deletes last are at the left. */
export interface RankLayout {
  readonly points: readonly GraphPoint[]
  readonly ranks: readonly LayoutRank[]
}

/** The free columns between two ranks. Labels need space. */
const gapColumns = 4
/** The number of passes that sort the ranks, to bring neighbors closer to each other. */
const sweepCount = 4
/** The number of resources between two pauses of `layOutRanks`. */
const resourcesPerStep = 2_000

/**
 * Lays out a graph by the waves of a destroy, in steps of a few milliseconds: the caller pauses
 * between them. A rank with many resources has several columns. Returns the layout. Pure.
 */
export function* layOutRanks(graph: ResourceGraph): Generator<undefined, RankLayout> {
  const { waves, edges, waveCount } = graph
  const neighbors: number[][] = waves.map(() => [])
  for (const { from, to, reason } of edges)
    if (reason !== 'provider') {
      neighbors[from]?.push(to)
      neighbors[to]?.push(from)
    }
  yield
  const resourcesByWave = Map.groupBy(
    waves.map((_, index) => index),
    index => waves[index] ?? 1,
  )
  const ranks = Array.from(
    { length: waveCount },
    (_, rankIndex) => resourcesByWave.get(waveCount - rankIndex) ?? [],
  )
  /** The place of each resource in its rank, from 0 to 1. */
  const relativePositions = waves.map(() => 0)
  for (const rank of ranks) setRelativePositions(rank, relativePositions)
  for (let sweep = 0; sweep < sweepCount; sweep += 1)
    for (const rankIndex of listRanksInSweepOrder(ranks.length, sweep)) {
      const rank = ranks[rankIndex]
      if (rank === undefined) continue
      yield* sortByNeighbors(rank, neighbors, relativePositions)
      setRelativePositions(rank, relativePositions)
    }
  return placeRanks(ranks, waves)
}

/**
 * Returns the indexes of the ranks from left to right. In every second sweep, the order is from
 * right to left.
 */
function listRanksInSweepOrder(count: number, sweep: number): readonly number[] {
  const ascending = Array.from({ length: count }, (_, rankIndex) => rankIndex)
  return sweep % 2 === 0 ? ascending : ascending.toReversed()
}

/** Sorts a rank by the mean place of the neighbors of each resource. */
function* sortByNeighbors(
  rank: number[],
  neighbors: readonly (readonly number[])[],
  relativePositions: readonly number[],
): Generator<undefined, void> {
  const means = new Map<number, number>()
  for (const [position, index] of rank.entries()) {
    const near = neighbors[index] ?? []
    const sum = near.reduce((total, neighbor) => total + (relativePositions[neighbor] ?? 0), 0)
    means.set(index, near.length === 0 ? (relativePositions[index] ?? 0) : sum / near.length)
    if (position % resourcesPerStep === resourcesPerStep - 1) yield
  }
  rank.sort((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0))
  yield
}

function setRelativePositions(rank: readonly number[], relativePositions: number[]): void {
  for (const [position, index] of rank.entries())
    relativePositions[index] = (position + 0.5) / rank.length
}

function placeRanks(ranks: readonly (readonly number[])[], waves: readonly number[]): RankLayout {
  const rowsMax = Math.max(12, Math.ceil(Math.sqrt(waves.length) * 0.75))
  const points: GraphPoint[] = Array.from({ length: waves.length }, () => ({ x: 0, y: 0 }))
  const placedRanks: LayoutRank[] = []
  let left = 0
  for (const [rankIndex, rank] of ranks.entries()) {
    const columns = Math.max(1, Math.ceil(rank.length / rowsMax))
    const rows = Math.ceil(rank.length / columns)
    for (const [position, index] of rank.entries()) {
      const row = Math.floor(position / columns)
      points[index] = { x: left + (position % columns), y: (rows - 1) / 2 - row }
    }
    const x = left + (columns - 1) / 2
    placedRanks.push({ wave: ranks.length - rankIndex, count: rank.length, x })
    left += columns - 1 + gapColumns
  }
  return { points, ranks: placedRanks }
}
