import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { SeedReport } from './run-seed.ts'

/** The progress of a run of many seeds, from which a later run continues. */
export interface SeedProgress {
  /** Total number of seeds. */
  readonly seeds: number
  readonly from: number
  /** All seeds before this one have run. */
  next: number
  /** Seeds that break a rule. */
  readonly bad: number[]
  seedsWithUnknownCreate: number
  /** The number of seeds with each number of deployments, and likewise below. */
  readonly deployments: Map<number, number>
  readonly resources: Map<number, number>
  readonly struckFaultCounts: Map<number, number>
  /** The coverage of all seeds together. */
  readonly counts: Map<string, number>
}

/** Creates empty progress of `seeds` seeds from `from` on. */
export function createSeedProgress(from: number, seeds: number): SeedProgress {
  const counters = { deployments: new Map(), resources: new Map(), struckFaultCounts: new Map() }
  return {
    seeds,
    from,
    next: from,
    bad: [],
    seedsWithUnknownCreate: 0,
    ...counters,
    counts: new Map(),
  }
}

/** Adds the reports of seeds. After this call, all seeds before `next` count as complete. */
export function addReports(
  progress: SeedProgress,
  reports: readonly SeedReport[],
  next: number,
): void {
  for (const report of reports) {
    if (report.violations.length > 0) progress.bad.push(report.seed)
    if (report.hasUnknownCreate) progress.seedsWithUnknownCreate += 1
    count(progress.deployments, report.deployments, 1)
    count(progress.resources, report.resources, 1)
    count(progress.struckFaultCounts, report.faultCount, 1)
    for (const [key, times] of report.counts) count(progress.counts, key, times)
  }
  progress.next = next
}

/** Returns the median of counted numbers. */
export function medianOf(histogram: ReadonlyMap<number, number>): number {
  const total = [...histogram.values()].reduce((sum, times) => sum + times, 0)
  let countSoFar = 0
  for (const [value, times] of [...histogram].sort(([one], [other]) => one - other)) {
    countSoFar += times
    if (countSoFar * 2 > total) return value
  }
  return 0
}

/** Reads the progress of an earlier run; undefined when there is none. */
export function readProgress(path: string): SeedProgress | undefined {
  if (!existsSync(path)) return undefined
  const saved = JSON.parse(readFileSync(path, 'utf8')) as Record<string, never>
  const { deployments, resources, struck: struckFaultCounts, counts, ...rest } = saved
  return {
    ...(rest as unknown as Pick<
      SeedProgress,
      'seeds' | 'from' | 'next' | 'bad' | 'seedsWithUnknownCreate'
    >),
    deployments: new Map(deployments),
    resources: new Map(resources),
    struckFaultCounts: new Map(struckFaultCounts),
    counts: new Map(counts),
  }
}

/** Writes the progress atomically. */
export function writeProgress(path: string, progress: SeedProgress): void {
  const { deployments, resources, struckFaultCounts, counts, ...rest } = progress
  const lists = { deployments, resources, struck: struckFaultCounts, counts }
  const entryLists = Object.entries(lists).map(([key, map]) => [key, [...map]] as const)
  writeFileSync(`${path}.new`, JSON.stringify({ ...rest, ...Object.fromEntries(entryLists) }))
  renameSync(`${path}.new`, path)
}

function count<K>(counts: Map<K, number>, key: K, times: number): void {
  counts.set(key, (counts.get(key) ?? 0) + times)
}
