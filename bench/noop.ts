import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engines, root } from './engine.ts'
import type { Measured } from './measured-run.ts'
import { nullEngine } from './null-engine.ts'
import { report } from './report.ts'
import { withProgram } from './workload.ts'

const up = ['up', '--yes', '--skip-preview', '--stack', 'bench']

/**
 * The quickstart once more, unchanged: our `up` against the same program and provider driven by the
 * null engine. In turn, so that what else runs hits both.
 */
export async function benchNoop(repetitions: number): Promise<void> {
  const [ours] = engines()
  if (ours === undefined) return
  const folder = mkdtempSync(join(tmpdir(), 'antichain-bench-noop-'))
  const source = join(root, 'examples', 'quickstart')
  try {
    cpSync(source, folder, {
      recursive: true,
      filter: path => !/node_modules|\/site$|Pulumi\.\w+\.yaml$/.test(path.slice(source.length)),
    })
    symlinkSync(join(source, 'node_modules'), join(folder, 'node_modules'))
    await ours.run(folder, ['stack', 'init', 'bench'])
    await ours.run(folder, up)
    const config = { 'quickstart:title': 'The Antichain Almanac', 'quickstart:pages': '16' }
    const about = { project: 'quickstart', pkg: 'pulumi-nodejs', config }
    const runNull = await nullEngine(ours, folder, about)
    const ourRuns: Measured[] = []
    const nullRuns: Measured[] = []
    for (let at = 0; at < repetitions; at++) {
      nullRuns.push(await runNull())
      ourRuns.push(await ours.run(folder, up))
    }
    report({ bench: 'noop', engine: 'null engine', phase: 'no-op' }, nullRuns)
    report({ bench: 'noop', engine: 'antichain', version: ours.version, phase: 'no-op' }, ourRuns)
    const seconds = (runs: readonly Measured[]): number => median(runs.map(run => run.seconds))
    tellRatio('noop', seconds(ourRuns) / seconds(nullRuns), 1.5)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The processor time that an unchanged resource costs the engine's own processes, ours and the null
 * engine's, program and provider apart: resources of a provider that does nothing.
 */
export async function benchCpu(sizes: readonly number[], repetitions: number): Promise<void> {
  const [ours] = engines()
  if (ours === undefined) return
  for (const size of sizes)
    await withProgram('flat', async folder => {
      const env = { N: String(size) }
      await ours.run(folder, ['stack', 'init', 'bench'], env)
      await ours.run(folder, up, env)
      const about = { project: 'bench', pkg: 'null', config: {} }
      const runNull = await nullEngine(ours, folder, about)
      const ourRuns: Measured[] = []
      const nullRuns: Measured[] = []
      for (let at = 0; at < repetitions; at++) {
        nullRuns.push(await runNull(env))
        ourRuns.push(await ours.run(folder, up, env))
      }
      const phase = { bench: 'cpu', size, phase: 'no-op' }
      report({ ...phase, engine: 'null engine' }, nullRuns)
      report({ ...phase, engine: 'antichain', version: ours.version }, ourRuns)
      const cpu = (runs: readonly Measured[], name: string): number =>
        median(runs.map(run => run.cpu[name] ?? Number.NaN))
      tellRatio('cpu', cpu(ourRuns, 'antichain') / cpu(nullRuns, 'null engine'), 2)
    })
}

function tellRatio(bench: string, ratio: number, goal: number): void {
  console.log(JSON.stringify({ bench, ratio: Math.round(ratio * 100) / 100, goal }))
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
