import { phaseArgs } from '../all/lines.ts'
import { createPulumi, type Engine, findAntichain } from '../engine.ts'
import { withProgram } from '../workload.ts'

/** The commands whose ratios are recorded. */
export const ratioPhases = ['create', 'no-op', 'preview', 'refresh', 'destroy'] as const

/** A command whose ratio is recorded. */
export type RatioPhase = (typeof ratioPhases)[number]

/** Ratios by command: the processor time of Pulumi's engine, divided by that of Antichain's. */
export type EngineRatios = Readonly<Record<RatioPhase, number>>

/** The number of resources. With more, Pulumi's creates would take most of the time. */
const resources = 300

/**
 * Measures each command once with both engines in turn. Program and provider are not counted: both
 * engines use the same ones. Other work on the machine affects wall time more than processor time.
 */
export async function measureRatios(pulumiCommand: string): Promise<EngineRatios> {
  const antichainSeconds = await measureEngine(findAntichain())
  const pulumiSeconds = await measureEngine(createPulumi(pulumiCommand, ''))
  const entries = ratioPhases.map(
    phase => [phase, pulumiSeconds[phase] / antichainSeconds[phase]] as const,
  )
  return Object.fromEntries(entries) as Record<RatioPhase, number>
}

/** Returns the processor time of an engine's own processes for each command, in seconds. */
async function measureEngine(engine: Engine): Promise<Readonly<Record<RatioPhase, number>>> {
  return withProgram('flat', async folder => {
    const env = { N: String(resources) }
    await engine.run(folder, ['stack', 'init', 'bench'], env)
    const seconds: Partial<Record<RatioPhase, number>> = {}
    for (const phase of ratioPhases) {
      const run = await engine.run(folder, [...phaseArgs[phase], '--stack', 'bench'], env)
      const ownSeconds = run.cpuSeconds[engine.name] ?? 0
      if (run.exitCode !== 0 || ownSeconds === 0)
        throw new Error(
          `${engine.name}: ${phase} has exit code ${run.exitCode}, processor time ${ownSeconds} s`,
        )
      seconds[phase] = ownSeconds
    }
    return seconds as Record<RatioPhase, number>
  })
}
