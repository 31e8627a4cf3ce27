import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findEngines, repositoryRoot } from './engine.ts'
import type { RunMeasurement } from './measure-run.ts'
import { medianOfNumbers } from './median.ts'
import { createNullEngine } from './null-engine.ts'
import { printReport } from './print-report.ts'
import { withProgram } from './workload.ts'

/** The highest ratio of Antichain's wall time to that of the null engine. */
const wallRatioGoal = 1.5

/** The highest ratio of Antichain's processor time to that of the null engine. */
const cpuRatioGoal = 2

const upArgs = ['up', '--yes', '--skip-preview', '--stack', 'bench']

/**
 * Runs the quickstart again without changes: with Antichain, and with the null engine on the same
 * program and provider. The null engine makes only the calls that any engine must make. Both
 * engines take turns, so that other load on the machine affects both.
 */
export async function benchNoop(repetitions: number): Promise<void> {
  const [antichain] = findEngines()
  if (antichain === undefined) return
  const folder = mkdtempSync(join(tmpdir(), 'antichain-bench-noop-'))
  const source = join(repositoryRoot, 'examples', 'quickstart')
  try {
    cpSync(source, folder, {
      recursive: true,
      filter: path => !/node_modules|\/site$|Pulumi\.\w+\.yaml$/.test(path.slice(source.length)),
    })
    symlinkSync(join(source, 'node_modules'), join(folder, 'node_modules'))
    await antichain.run(folder, ['stack', 'init', 'bench'])
    await antichain.run(folder, upArgs)
    const config = { 'quickstart:title': 'The Antichain Almanac', 'quickstart:pages': '16' }
    const options = { project: 'quickstart', pkg: 'pulumi-nodejs', config }
    const runNull = await createNullEngine(antichain, folder, options)
    const antichainRuns: RunMeasurement[] = []
    const nullRuns: RunMeasurement[] = []
    for (let index = 0; index < repetitions; index++) {
      nullRuns.push(await runNull())
      antichainRuns.push(await antichain.run(folder, upArgs))
    }
    printReport({ bench: 'noop', engine: 'null engine', phase: 'no-op' }, nullRuns)
    printReport(
      { bench: 'noop', engine: 'antichain', version: antichain.version, phase: 'no-op' },
      antichainRuns,
    )
    const medianSecondsOf = (runs: readonly RunMeasurement[]): number =>
      medianOfNumbers(runs.map(run => run.seconds))
    printRatio('noop', medianSecondsOf(antichainRuns) / medianSecondsOf(nullRuns), wallRatioGoal)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Measures the processor time of the engine's own processes for an update without changes, with
 * Antichain and with the null engine. The processes of program and provider are not included in the
 * ratio. The provider does nothing.
 */
export async function benchCpu(sizes: readonly number[], repetitions: number): Promise<void> {
  const [antichain] = findEngines()
  if (antichain === undefined) return
  for (const size of sizes)
    await withProgram('flat', async folder => {
      const env = { N: String(size) }
      await antichain.run(folder, ['stack', 'init', 'bench'], env)
      await antichain.run(folder, upArgs, env)
      const options = { project: 'bench', pkg: 'null', config: {} }
      const runNull = await createNullEngine(antichain, folder, options)
      const antichainRuns: RunMeasurement[] = []
      const nullRuns: RunMeasurement[] = []
      for (let index = 0; index < repetitions; index++) {
        nullRuns.push(await runNull(env))
        antichainRuns.push(await antichain.run(folder, upArgs, env))
      }
      const phase = { bench: 'cpu', size, phase: 'no-op' }
      printReport({ ...phase, engine: 'null engine' }, nullRuns)
      printReport({ ...phase, engine: 'antichain', version: antichain.version }, antichainRuns)
      const medianCpuOf = (runs: readonly RunMeasurement[], name: string): number =>
        medianOfNumbers(runs.map(run => run.cpuSeconds[name] ?? Number.NaN))
      printRatio(
        'cpu',
        medianCpuOf(antichainRuns, 'antichain') / medianCpuOf(nullRuns, 'null engine'),
        cpuRatioGoal,
      )
    })
}

function printRatio(bench: string, ratio: number, goal: number): void {
  console.log(JSON.stringify({ bench, ratio: Math.round(ratio * 100) / 100, goal }))
}
