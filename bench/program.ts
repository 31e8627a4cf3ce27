import { findAntichain } from './engine.ts'
import type { RunMeasurement } from './measure-run.ts'
import { createNullEngine } from './null-engine.ts'
import { printReport } from './print-report.ts'
import { withProgram } from './workload.ts'

/**
 * Measures how fast the null engine (null-engine.ts) runs a Node program of plain resources. The
 * program runs without and with ANTICHAIN_REMEMBER_FRAMES, which makes it remember its resolved
 * stack frames. Both take turns, so that other load on the machine affects both.
 */
export async function benchProgram(size: number, repetitions: number): Promise<void> {
  const antichain = findAntichain()
  await withProgram('flat', async folder => {
    const options = { project: 'bench', pkg: 'null', config: {}, creates: true }
    const runNull = await createNullEngine(antichain, folder, options)
    const runs: Record<'0' | '1', RunMeasurement[]> = { 0: [], 1: [] }
    for (let index = 0; index < repetitions; index++)
      for (const remembers of ['0', '1'] as const)
        runs[remembers].push(
          await runNull({ N: String(size), ANTICHAIN_REMEMBER_FRAMES: remembers }),
        )
    const labels = { bench: 'program', engine: 'null engine', size }
    printReport({ ...labels, remembersFrames: false }, runs[0])
    printReport({ ...labels, remembersFrames: true }, runs[1])
  })
}
