/**
 * bench: benchmarks of Antichain. Measures commands of Antichain and the Pulumi CLI on one machine,
 * and prints one JSON line per measurement. This folder may import all others, and only tests
 * import it.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findEngines } from './engine.ts'
import { benchCpu, benchNoop } from './noop.ts'
import { printReport } from './print-report.ts'
import { benchProgram } from './program.ts'
import { benchStart } from './start.ts'
import { benchTerraform, terraformPeers } from './terraform.ts'
import { withProgram } from './workload.ts'

// The listed benchmarks are separate scripts, which parse their own options.
const [, , scriptName = ''] = process.argv
if (
  [
    ...['all', 'journal', 'cost', 'budget', 'plan', 'codec', 'ratios', 'state-memory'],
    ...['state-stores', 'telemetry', 'program-start'],
  ].includes(scriptName)
) {
  const args = [join(import.meta.dirname, `${scriptName}.ts`), ...process.argv.slice(3)]
  process.exit(spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1)
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sizes: { type: 'string' }, repetitions: { type: 'string' }, peer: { type: 'string' } },
})
const [benchmark = ''] = positionals
/** The numbers of resources of each workload, unless `--sizes` is set. */
const defaultSizes = { w1: '500,1000,2000', flat: '1000', chain: '1000' }

if (benchmark === 'w1' || benchmark === 'flat' || benchmark === 'chain')
  await benchWorkload(benchmark)
else if (benchmark === 'noop') await benchNoop(Number(values.repetitions ?? '5'))
else if (benchmark === 'cpu')
  await benchCpu(
    (values.sizes ?? '10000').split(',').map(Number),
    Number(values.repetitions ?? '3'),
  )
else if (benchmark === 'program')
  await benchProgram(Number(values.sizes ?? '3000'), Number(values.repetitions ?? '3'))
else if (benchmark === 'start') await benchStart(Number(values.repetitions ?? '9'))
else if (benchmark === 'terraform')
  await benchTerraform((values.sizes ?? '1000,5000').split(',').map(Number), {
    repetitions: Number(values.repetitions ?? '1'),
    peers: values.peer === 'no' ? [] : terraformPeers,
  })
else {
  const names = 'w1|flat|chain|noop|cpu|program|start|terraform'
  const scripts =
    'all|journal|cost|budget|plan|codec|ratios|state-memory|state-stores|telemetry|program-start'
  const flags = '[--sizes 500,1000] [--repetitions 3] [--peer no]'
  console.error(`usage: npm run bench -- ${names}|${scripts} ${flags}`)
  process.exitCode = 2
}

/**
 * Measures create, no-op and destroy with each size and each engine. The engines take turns, so
 * that other load on the machine affects both. With `--peer no`, only Antichain is measured.
 * `--repetitions` repeats only the no-op.
 */
async function benchWorkload(workload: keyof typeof defaultSizes): Promise<void> {
  const engines = findEngines().filter(
    engine => values.peer !== 'no' || engine.name === 'antichain',
  )
  const repetitions = Number(values.repetitions ?? '1')
  for (const size of (values.sizes ?? defaultSizes[workload]).split(',').map(Number))
    for (const engine of engines)
      await withProgram(workload, async folder => {
        const env = { N: String(size) }
        await engine.run(folder, ['stack', 'init', 'bench'], env)
        const measure = async (phase: string, args: readonly string[]): Promise<void> => {
          const command = `${engine.name} ${args.join(' ')}`
          const runs = []
          const runCount = phase === 'no-op' ? repetitions : 1
          for (let index = 0; index < runCount; index++)
            runs.push(await engine.run(folder, [...args, '--stack', 'bench'], env))
          printReport(
            { bench: workload, engine: engine.name, version: engine.version, size, phase, command },
            runs,
          )
        }
        await measure('create', ['up', '--yes', '--skip-preview'])
        await measure('no-op', ['up', '--yes', '--skip-preview'])
        await measure('destroy', ['destroy', '--yes', '--skip-preview'])
      })
}
