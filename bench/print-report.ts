import { cpus, release, totalmem } from 'node:os'
import type { RunMeasurement } from './measure-run.ts'
import { medianOfNumbers } from './median.ts'

/** Prints runs as one JSON line: labels, durations, failures, memory, processor time, machine. */
export function printReport(
  labels: Readonly<Record<string, unknown>>,
  runs: readonly RunMeasurement[],
): void {
  const seconds = runs.map(run => run.seconds).sort((a, b) => a - b)
  const peaks: Record<string, number> = {}
  for (const { peaksMib } of runs)
    for (const [name, mib] of Object.entries(peaksMib))
      peaks[name] = Math.max(peaks[name] ?? 0, mib)
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    os: `${process.platform} ${release()}`,
    node: process.versions.node,
  }
  console.log(
    JSON.stringify({
      ...labels,
      repetitions: runs.length,
      ...spreadOf(seconds),
      failed: runs.filter(run => run.exitCode !== 0).length,
      peaksMib: peaks,
      cpu: runs.map(run => run.cpuSeconds),
      machine,
    }),
  )
}

function spreadOf(sorted: readonly number[]): {
  readonly min: number
  readonly median: number
  readonly max: number
} {
  return {
    min: sorted[0] ?? 0,
    median: medianOfNumbers(sorted),
    max: sorted.at(-1) ?? 0,
  }
}
