/**
 * `npm run sim -- --seeds N [--from S] [--jobs J]` runs many seeds; `--resume FILE` goes on where a
 * run with the same file stopped; `--seed S` runs one again and prints what happened. `--platform
 * aws` has all of them on the models of AWS, `memory` none. Exit status 1 when a rule was broken,
 * or when 1,000 seeds or more, or 300 on AWS, did not see everything that they must.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { mustBeSeen, mustBeSeenOnAws } from './checks.ts'
import { notSeen } from './known.ts'
import { type SeedReport, runSeed } from './many.ts'
import {
  addTo,
  freshProgress,
  medianOf,
  type Progress,
  readProgress,
  writeProgress,
} from './progress.ts'
import type { Share } from './worker.ts'
import type { Platform } from './world.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    seed: { type: 'string' },
    resume: { type: 'string' },
    platform: { type: 'string' },
  },
})
const platform = platformOf(values.platform)
const on = platform === undefined ? {} : { platform }
/** Seeds that must see everything. */
const enough = platform === 'aws' ? 300 : 1_000
const expected = platform === 'aws' ? mustBeSeenOnAws : mustBeSeen
/** Seeds after which a run that can be gone on with writes how far it has come. */
const chunk = 1_000
const say = (line: string): void => void process.stdout.write(`${line}\n`)
process.exitCode =
  values.seed === undefined
    ? await many()
    : tell(await runSeed(Number(values.seed), { isShrunk: true, ...on }))

function platformOf(named: string | undefined): Platform | undefined {
  if (named === undefined || named === 'aws' || named === 'memory') return named
  throw new TypeError(`--platform is 'aws' or 'memory', not '${named}'`)
}

async function many(): Promise<number> {
  const { resume: path } = values
  const left = path === undefined ? undefined : readProgress(path)
  const progress = left ?? freshProgress(Number(values.from), Number(values.seeds))
  const until = progress.from + progress.seeds
  const jobs = Number(values.jobs)
  const [began, first] = [performance.now(), progress.next]
  while (progress.next < until) {
    const reports: SeedReport[] = []
    const heard = (report: SeedReport): void => {
      reports.push(report)
      tell(report)
    }
    const next = path === undefined ? until : Math.min(until, progress.next + chunk)
    await Promise.all(
      Array.from({ length: jobs }, (_none, at) =>
        share({ from: progress.next + at, until: next, every: jobs, ...on }, heard),
      ),
    )
    addTo(progress, reports, next)
    if (path !== undefined) writeProgress(path, progress)
  }
  const perSecond = ((progress.next - first) * 1_000) / (performance.now() - began) / jobs
  return summed(progress, perSecond)
}

/** Prints what all seeds came to; answers the exit status. */
function summed(progress: Progress, perSecond: number): number {
  const { seeds, bad, unknowable } = progress
  const unseen = coverage(progress.counts)
  const certain = 1 - unknowable / seeds
  say('')
  say(`deployments, median ${medianOf(progress.deployments)}`)
  say(`resources, median ${medianOf(progress.resources)}`)
  say(`faults, median ${medianOf(progress.struck)}`)
  say(`without an unknowable create: ${Math.round(certain * 100)} %`)
  say(`${seeds} seeds, ${bad.length} bad, ${perSecond.toFixed(1)} per second and job`)
  if (bad.length > 0) say(`bad: ${bad.join(' ')}`)
  const isThin =
    seeds >= enough &&
    (unseen > 0 ||
      certain < 0.4 ||
      medianOf(progress.deployments) < 2 ||
      medianOf(progress.resources) < 10 ||
      medianOf(progress.struck) < 3)
  return bad.length > 0 || isThin ? 1 : 0
}

function share(data: Share, heard: (report: SeedReport) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('worker.ts', import.meta.url), {
      workerData: data,
      // Most of what a run makes is forgotten at once.
      resourceLimits: { maxYoungGenerationSizeMb: 96 },
    })
    worker.on('message', heard)
    worker.on('error', reject)
    worker.on('exit', () => resolve())
  })
}

/** Prints a failure; answers 1 for one, else 0. */
function tell({ seed, violations, faults, lines }: SeedReport): number {
  if (violations.length === 0) return 0
  const also = platform === undefined ? '' : ` --platform ${platform}`
  say(`seed ${seed} breaks a rule; to see it again: npm run sim -- --seed ${seed}${also}`)
  for (const violation of violations.slice(0, 3)) say(`  ${violation.slice(0, 1_000)}`)
  for (const fault of faults) say(`  fault ${JSON.stringify(fault)}`)
  if (values.seed !== undefined) for (const line of lines) say(`  ${line}`)
  return 1
}

/** Prints how often everything was seen; answers how much never was. */
function coverage(seen: ReadonlyMap<string, number>): number {
  const counts = new Map<string, number>([...expected.map(key => [key, 0] as const), ...seen])
  let unseen = 0
  for (const [key, count] of [...counts].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const why = count === 0 ? notSeen.get(key) : undefined
    if (count === 0 && why === undefined) unseen += 1
    say(`${String(count).padStart(8)}  ${key}${why === undefined ? '' : ` (${why})`}`)
  }
  return unseen
}
