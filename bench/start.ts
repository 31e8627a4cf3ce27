import { findEngines } from './engine.ts'
import type { RunMeasurement } from './measure-run.ts'
import { printReport } from './print-report.ts'
import { withProgram } from './workload.ts'

/** Commands that only read: their time is mostly that of their start. */
const commands = [['stack', 'ls'], ['config', 'get', 'size'], ['--help']]

/**
 * Measures commands that only read, with each engine in turn, so that other load on the machine
 * affects all of them.
 */
export async function benchStart(repetitions: number): Promise<void> {
  await withProgram('flat', async folder => {
    const engines = findEngines()
    for (const engine of engines) {
      await engine.run(folder, ['stack', 'init', 'bench'])
      await engine.run(folder, ['config', 'set', 'size', '3', '--stack', 'bench'])
    }
    for (const args of commands) {
      const runs = new Map<string, RunMeasurement[]>(engines.map(({ name }) => [name, []]))
      for (let index = 0; index < repetitions; index++)
        for (const engine of engines) runs.get(engine.name)?.push(await engine.run(folder, args))
      for (const { name, version } of engines)
        printReport(
          { bench: 'start', engine: name, version, phase: args.join(' ') },
          runs.get(name) ?? [],
        )
    }
  })
}
