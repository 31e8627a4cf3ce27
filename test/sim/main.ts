/**
 * `npm run sim -- --seeds N [--from S] [--jobs J]` runs many seeds; `--seed S` runs one again and
 * prints what happened. Exit status 1 when a rule was broken, or when 1,000 seeds or more did not
 * see everything that they must.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { mustBeSeen } from './checks.ts'
import { notSeen } from './known.ts'
import { type SeedReport, runSeed } from './many.ts'
import type { Share } from './worker.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    seed: { type: 'string' },
  },
})
const say = (line: string): void => void process.stdout.write(`${line}\n`)
process.exitCode =
  values.seed === undefined
    ? await many()
    : tell(await runSeed(Number(values.seed), { isShrunk: true }))

async function many(): Promise<number> {
  const [from, count, jobs] = [Number(values.from), Number(values.seeds), Number(values.jobs)]
  const began = performance.now()
  const reports: SeedReport[] = []
  let bad = 0
  const heard = (report: SeedReport): void => {
    reports.push(report)
    bad += tell(report)
  }
  await Promise.all(
    Array.from({ length: jobs }, (_none, at) =>
      share({ from: from + at, until: from + count, every: jobs }, heard),
    ),
  )
  const seconds = (performance.now() - began) / 1000
  const unseen = coverage(reports)
  const certain = reports.filter(report => !report.isUnknowable).length / reports.length
  say('')
  say(`deployments, median ${median(reports.map(report => report.deployments))}`)
  say(`resources, median ${median(reports.map(report => report.resources))}`)
  say(`faults, median ${median(reports.map(report => report.struck))}`)
  say(`without an unknowable create: ${Math.round(certain * 100)} %`)
  say(
    `${reports.length} seeds, ${bad} bad, ${(count / seconds / jobs).toFixed(1)} per second and job`,
  )
  const isThin = count >= 1_000 && (unseen > 0 || certain < 0.4)
  return bad > 0 || isThin ? 1 : 0
}

function share(data: Share, heard: (report: SeedReport) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('worker.ts', import.meta.url), { workerData: data })
    worker.on('message', heard)
    worker.on('error', reject)
    worker.on('exit', () => resolve())
  })
}

/** Prints a failure; answers 1 for one, else 0. */
function tell({ seed, violations, faults, lines }: SeedReport): number {
  if (violations.length === 0) return 0
  say(`seed ${seed} breaks a rule; to see it again: npm run sim -- --seed ${seed}`)
  for (const violation of violations.slice(0, 3)) say(`  ${violation.slice(0, 1_000)}`)
  for (const fault of faults) say(`  fault ${JSON.stringify(fault)}`)
  if (values.seed !== undefined) for (const line of lines) say(`  ${line}`)
  return 1
}

/** Prints how often everything was seen; answers how much never was. */
function coverage(reports: readonly SeedReport[]): number {
  const counts = new Map<string, number>(mustBeSeen.map(key => [key, 0]))
  for (const report of reports)
    for (const [key, count] of report.counts) counts.set(key, (counts.get(key) ?? 0) + count)
  let unseen = 0
  for (const [key, count] of [...counts].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const why = count === 0 ? notSeen.get(key) : undefined
    if (count === 0 && why === undefined) unseen += 1
    say(`${String(count).padStart(8)}  ${key}${why === undefined ? '' : ` (${why})`}`)
  }
  return unseen
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? 0
}
