import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engines, root } from './engine.ts'
import type { Measured } from './measured-run.ts'
import { measuredRun } from './measured-run.ts'
import { report } from './report.ts'

/**
 * The quickstart once more, unchanged: our `up` against the same program and provider driven by a
 * monitor that knows every answer and makes only the calls that an engine must (Check and Diff of
 * each resource). In turn, so that what else runs hits both.
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
    await ours.run(folder, ['up', '--yes', '--skip-preview', '--stack', 'bench'])
    const exported = join(folder, 'state.json')
    await ours.run(folder, [
      'stack',
      'export',
      '--show-secrets',
      '--stack',
      'bench',
      '--file',
      exported,
    ])
    JSON.parse(readFileSync(exported, 'utf8'))
    const ourRuns: Measured[] = []
    const nullRuns: Measured[] = []
    for (let at = 0; at < repetitions; at++) {
      nullRuns.push(
        await measuredRun(process.execPath, [join(root, 'bench', 'null-monitor.ts'), exported], {
          cwd: folder,
          env: process.env,
        }),
      )
      ourRuns.push(await ours.run(folder, ['up', '--yes', '--skip-preview', '--stack', 'bench']))
    }
    report({ bench: 'noop', engine: 'null monitor', phase: 'no-op' }, nullRuns)
    report({ bench: 'noop', engine: 'antichain', version: ours.version, phase: 'no-op' }, ourRuns)
    const ratio = median(ourRuns) / median(nullRuns)
    console.log(JSON.stringify({ bench: 'noop', ratio: Math.round(ratio * 100) / 100, goal: 1.5 }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function median(runs: readonly Measured[]): number {
  const sorted = runs.map(run => run.seconds).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
