/**
 * `npm run sim -- --seeds N [--from S] [--jobs J]` simulates deployments under faults. Each seed
 * draws one world. `--resume FILE` saves the progress in FILE, and continues from an existing FILE.
 * `--seed S` runs only seed S, and prints its trace if a rule is broken. `--platform aws` runs all
 * seeds on models of the AWS services, and `--platform memory` runs all seeds in memory. Without
 * this option, each seed draws its platform. The exit status is 1 when a rule was broken. A run of
 * at least 1,000 seeds (300 on AWS) also fails when it misses required coverage.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { requiredCoverage, requiredAwsCoverage } from './checks.ts'
import { unreachableCoverage } from './known-violations.ts'
import { type SeedReport, runSeed } from './run-seed.ts'
import {
  addReports,
  createSeedProgress,
  medianOf,
  type SeedProgress,
  readProgress,
  writeProgress,
} from './progress.ts'
import type { SeedShare } from './worker.ts'
import type { WorldPlatform } from './world.ts'

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
const platformOption = platform === undefined ? {} : { platform }
/** Runs of at least this many seeds must reach the required coverage. */
const coverageSeeds = platform === 'aws' ? 300 : 1_000
const expected = platform === 'aws' ? requiredAwsCoverage : requiredCoverage
/** Lower bounds of a run: for its medians, and for the share of seeds without unknown creates. */
const leastCoverage = { certainShare: 0.4, deployments: 2, resources: 10, faults: 3 } as const
/** Number of seeds after which a resumable run saves its progress. */
const chunkSeeds = 1_000
const printLine = (line: string): void => void process.stdout.write(`${line}\n`)
process.exitCode =
  values.seed === undefined
    ? await runMany()
    : printFailure(await runSeed(Number(values.seed), { shrinksFaults: true, ...platformOption }))

function platformOf(name: string | undefined): WorldPlatform | undefined {
  if (name === undefined || name === 'aws' || name === 'memory') return name
  throw new TypeError(`--platform is 'aws' or 'memory', not '${name}'`)
}

async function runMany(): Promise<number> {
  const { resume: path } = values
  const savedProgress = path === undefined ? undefined : readProgress(path)
  const progress = savedProgress ?? createSeedProgress(Number(values.from), Number(values.seeds))
  const endSeed = progress.from + progress.seeds
  const jobs = Number(values.jobs)
  const [startMs, firstSeed] = [performance.now(), progress.next]
  while (progress.next < endSeed) {
    const reports: SeedReport[] = []
    const onReport = (report: SeedReport): void => {
      reports.push(report)
      printFailure(report)
    }
    const next = path === undefined ? endSeed : Math.min(endSeed, progress.next + chunkSeeds)
    await Promise.all(
      Array.from({ length: jobs }, (_none, index) =>
        runShare(
          { from: progress.next + index, endSeed: next, every: jobs, ...platformOption },
          onReport,
        ),
      ),
    )
    addReports(progress, reports, next)
    if (path !== undefined) writeProgress(path, progress)
  }
  const perSecond = ((progress.next - firstSeed) * 1_000) / (performance.now() - startMs) / jobs
  return printSummary(progress, perSecond)
}

/** Prints the summary of all seeds and returns the exit status. */
function printSummary(progress: SeedProgress, perSecond: number): number {
  const { seeds, bad, seedsWithUnknownCreate } = progress
  const missingCount = printCoverage(progress.counts)
  const certainShare = 1 - seedsWithUnknownCreate / seeds
  printLine('')
  printLine(`deployments, median ${medianOf(progress.deployments)}`)
  printLine(`resources, median ${medianOf(progress.resources)}`)
  printLine(`faults, median ${medianOf(progress.struckFaultCounts)}`)
  printLine(`seeds without a create of unknown result: ${Math.round(certainShare * 100)} %`)
  printLine(`${seeds} seeds, ${bad.length} bad, ${perSecond.toFixed(1)} per second and job`)
  if (bad.length > 0) printLine(`bad: ${bad.join(' ')}`)
  const isCoverageLow =
    seeds >= coverageSeeds &&
    (missingCount > 0 ||
      certainShare < leastCoverage.certainShare ||
      medianOf(progress.deployments) < leastCoverage.deployments ||
      medianOf(progress.resources) < leastCoverage.resources ||
      medianOf(progress.struckFaultCounts) < leastCoverage.faults)
  return bad.length > 0 || isCoverageLow ? 1 : 0
}

function runShare(data: SeedShare, onReport: (report: SeedReport) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('worker.ts', import.meta.url), {
      workerData: data,
      // Most objects of a run are short-lived.
      resourceLimits: { maxYoungGenerationSizeMb: 96 },
    })
    worker.on('message', onReport)
    worker.on('error', reject)
    // A worker whose run never ends has no event left, and exits with code 13.
    worker.on('exit', code =>
      code === 0 ? resolve() : reject(new Error(`a worker ended with code ${code}`)),
    )
  })
}

/** Prints a failure. Returns 1 for a failure, otherwise 0. */
function printFailure({ seed, violations, faults, lines }: SeedReport): number {
  if (violations.length === 0) return 0
  const platformFlag = platform === undefined ? '' : ` --platform ${platform}`
  printLine(
    `seed ${seed} breaks a rule; repeat it with: npm run sim -- --seed ${seed}${platformFlag}`,
  )
  for (const violation of violations.slice(0, 3)) printLine(`  ${violation.slice(0, 1_000)}`)
  for (const fault of faults) printLine(`  fault ${JSON.stringify(fault)}`)
  if (values.seed !== undefined) for (const line of lines) printLine(`  ${line}`)
  return 1
}

/**
 * Prints the coverage. Returns the number of required keys that no seed reached, not counting those
 * of `unreachableCoverage`.
 */
function printCoverage(seenCounts: ReadonlyMap<string, number>): number {
  const counts = new Map<string, number>([...expected.map(key => [key, 0] as const), ...seenCounts])
  let missingCount = 0
  for (const [key, count] of [...counts].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const reason = count === 0 ? unreachableCoverage.get(key) : undefined
    if (count === 0 && reason === undefined) missingCount += 1
    printLine(`${String(count).padStart(8)}  ${key}${reason === undefined ? '' : ` (${reason})`}`)
  }
  return missingCount
}
