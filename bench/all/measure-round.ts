import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildGoPrograms } from '../build-go-programs.ts'
import { type Engine, findAntichain } from '../engine.ts'
import type { RunMeasurement } from '../measure-run.ts'
import { createNullEngine } from '../null-engine.ts'
import { runTerraformRound, terraformPeers } from '../terraform.ts'
import { withProgram } from '../workload.ts'
import { type BenchLine, type BenchPhase, type PeerName, phaseArgs } from './lines.ts'

/** A measured command of one engine. */
export interface MeasuredCommand {
  /** `antichain`, the peer of the line, or `null engine`. */
  readonly engine: string
  readonly phase: BenchPhase
  readonly measurement: RunMeasurement
  /** The 99th percentile of the delays of the engine's main thread, in ms. Absent: not measured. */
  readonly delayP99Ms?: number
}

/**
 * Measures all commands of a line once, with Antichain and then with the peers. Other load on the
 * machine thus affects all engines. Throws an error when a command fails.
 */
export async function* measureRound(
  line: BenchLine,
  engines: readonly Engine[],
  peers: ReadonlySet<PeerName>,
): AsyncGenerator<MeasuredCommand> {
  if (line.workload === 'terraform') {
    const options = { size: line.resources, peers: terraformPeers.filter(name => peers.has(name)) }
    for await (const { name, phase, run: measurement } of runTerraformRound(options))
      if (name !== 'null engine') yield { engine: name, phase, measurement }
    return
  }
  for (const engine of engines)
    if (engine.name === 'antichain' || line.peers?.includes(engine.name) === true)
      yield* runCommands(line, line.workload, engine)
  if (line.floorRatioGoal !== undefined) yield* runProgramFloor(line)
}

/** Runs the commands of a line with one engine. */
async function* runCommands(
  line: BenchLine,
  workload: Exclude<BenchLine['workload'], 'terraform'>,
  engine: Engine,
): AsyncGenerator<MeasuredCommand> {
  const measuredRuns = await withProgram(workload, async folder => {
    const runs: MeasuredCommand[] = []
    const providerFolder =
      workload === 'go' ? { BENCH_PROVIDER: buildGoPrograms().providerFolder } : {}
    const env = { N: String(line.resources), ...line.variables, ...providerFolder }
    await engine.run(folder, ['stack', 'init', 'bench'], env)
    const delayFile = join(folder, 'delays')
    // The import adds to the time. A program in Node would import the file too.
    const recordsDelays = line.delayGoalMs !== undefined && engine.name === 'antichain'
    const recorder = import.meta.resolve('./record-delays.mjs')
    const delayEnv = recordsDelays
      ? { NODE_OPTIONS: `--import ${recorder}`, BENCH_DELAYS: delayFile }
      : {}
    for (const phase of line.phases) {
      const measurement = await engine.run(folder, argumentsOf(line, phase), {
        ...env,
        ...delayEnv,
      })
      if (measurement.exitCode !== 0)
        throw new Error(`${engine.name}: ${phase} of ${line.name} failed`)
      runs.push({
        engine: engine.name,
        phase,
        measurement,
        ...(existsSync(delayFile) ? { delayP99Ms: Number(readFileSync(delayFile, 'utf8')) } : {}),
      })
    }
    return runs
  })
  yield* measuredRuns
}

/**
 * Measures the program and its provider without an engine: the null engine creates the resources,
 * and then compares them with a state.
 */
async function* runProgramFloor({ resources }: BenchLine): AsyncGenerator<MeasuredCommand> {
  const antichain = findAntichain()
  const env = { N: String(resources) }
  const measuredRuns = await withProgram('flat', async folder => {
    const program = { project: 'bench', pkg: 'null', config: {} }
    const create = await createNullEngine(antichain, folder, { ...program, creates: true })
    const createRun = await create(env)
    await antichain.run(folder, ['stack', 'init', 'bench'], env)
    await antichain.run(folder, [...phaseArgs.create, '--stack', 'bench'], env)
    const compare = await createNullEngine(antichain, folder, program)
    return [
      { engine: 'null engine', phase: 'create', measurement: createRun } as const,
      { engine: 'null engine', phase: 'no-op', measurement: await compare(env) } as const,
    ]
  })
  yield* measuredRuns
}

function argumentsOf({ parallel }: BenchLine, phase: BenchPhase): readonly string[] {
  if (phase === 'stack ls') return phaseArgs[phase]
  const parallelArgs = parallel === undefined ? [] : ['--parallel', String(parallel)]
  return [...phaseArgs[phase], '--stack', 'bench', ...parallelArgs]
}
