import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { SeedReport } from './run-seed.ts'

/** What a run of many seeds has come to so far; a later one goes on from it. */
export interface SeedProgress {
  /** How many there are to be in all. */
  readonly seeds: number
  readonly from: number
  /** Every seed before this one was run. */
  next: number
  readonly bad: number[]
  unknowable: number
  readonly deployments: Map<number, number>
  readonly resources: Map<number, number>
  readonly struck: Map<number, number>
  readonly counts: Map<string, number>
}

/** Nothing yet: `seeds` seeds from `from` on. */
export function createSeedProgress(from: number, seeds: number): SeedProgress {
  const counters = { deployments: new Map(), resources: new Map(), struck: new Map() }
  return { seeds, from, next: from, bad: [], unknowable: 0, ...counters, counts: new Map() }
}

/** Adds what seeds came to that were all run up to `next`. */
export function addReports(
  progress: SeedProgress,
  reports: readonly SeedReport[],
  next: number,
): void {
  for (const report of reports) {
    if (report.violations.length > 0) progress.bad.push(report.seed)
    if (report.isUnknowable) progress.unknowable += 1
    count(progress.deployments, report.deployments, 1)
    count(progress.resources, report.resources, 1)
    count(progress.struck, report.struck, 1)
    for (const [key, times] of report.counts) count(progress.counts, key, times)
  }
  progress.next = next
}

/** The middle one of numbers that are counted. */
export function medianOf(counted: ReadonlyMap<number, number>): number {
  const total = [...counted.values()].reduce((sum, times) => sum + times, 0)
  let before = 0
  for (const [value, times] of [...counted].sort(([one], [other]) => one - other)) {
    before += times
    if (before * 2 > total) return value
  }
  return 0
}

/** Reads what an earlier run left; undefined when there is none. */
export function readProgress(path: string): SeedProgress | undefined {
  if (!existsSync(path)) return undefined
  const left = JSON.parse(readFileSync(path, 'utf8')) as Record<string, never>
  const { deployments, resources, struck, counts, ...rest } = left
  return {
    ...(rest as unknown as Pick<SeedProgress, 'seeds' | 'from' | 'next' | 'bad' | 'unknowable'>),
    deployments: new Map(deployments),
    resources: new Map(resources),
    struck: new Map(struck),
    counts: new Map(counts),
  }
}

/** Writes it, whole or not at all. */
export function writeProgress(path: string, progress: SeedProgress): void {
  const { deployments, resources, struck, counts, ...rest } = progress
  const lists = { deployments, resources, struck, counts }
  const plain = Object.entries(lists).map(([key, map]) => [key, [...map]] as const)
  writeFileSync(`${path}.new`, JSON.stringify({ ...rest, ...Object.fromEntries(plain) }))
  renameSync(`${path}.new`, path)
}

function count<K>(counts: Map<K, number>, key: K, times: number): void {
  counts.set(key, (counts.get(key) ?? 0) + times)
}
