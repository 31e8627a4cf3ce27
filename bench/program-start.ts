/**
 * program-start: the start of programs with packages of the registry. Previews TypeScript programs
 * of ten resources with Antichain and the Pulumi CLI in turn. The providers do nothing. In a first
 * run, the engine and ts-node have kept nothing. In later runs, they use what the first one kept.
 * `node bench/program-start.ts [--repetitions 5] [--packages @pulumi/aws] [--sdk 3.270.0]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Engine, findEngines } from './engine.ts'
import { medianOfNumbers } from './median.ts'
import { printReport } from './print-report.ts'
import { installPackageProgram } from './program-start/install-package-program.ts'
import {
  createProviderFolder,
  measurePreview,
  prepareFirstPreview,
  type PreviewInput,
  type PreviewMeasurement,
} from './program-start/measure-previews.ts'
import { type PackageProgram, packagePrograms } from './program-start/package-programs.ts'

const { values } = parseArgs({
  options: {
    repetitions: { type: 'string', default: '5' },
    sdk: { type: 'string', default: '3.270.0' },
    packages: { type: 'string', default: packagePrograms.map(({ name }) => name).join(',') },
  },
})

/** The highest ratio of Antichain's wall time to Pulumi's, from the second run on. */
const laterRunRatioGoal = 0.5

/** The runs of each engine, by the engine's name. */
type EngineRuns = ReadonlyMap<Engine['name'], PreviewMeasurement[]>

/** Measures first and later previews of a program. The engines take turns. */
async function benchPackage(program: PackageProgram, repetitions: number): Promise<void> {
  const engines = findEngines()
  const programFolder = installPackageProgram(program, values.sdk)
  const folder = mkdtempSync(join(tmpdir(), 'antichain-bench-program-start-'))
  try {
    const providerFolder = createProviderFolder(join(folder, 'providers'), program.provider)
    const inputs = engines.map(engine => ({
      ...{ engine, programFolder, providerFolder, engineFolder: join(folder, engine.name) },
    }))
    const firstRuns = await measureInTurn(inputs, repetitions, prepareFirstPreview)
    const laterRuns = await measureInTurn(inputs, repetitions)
    for (const [phase, runs] of [
      ['first run', firstRuns],
      ['later run', laterRuns],
    ] as const)
      printRuns(`${program.name} ${program.version}`, { phase, engines, runs })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Measures previews of each engine in turn. `prepare` runs before each of them. */
async function measureInTurn(
  inputs: readonly PreviewInput[],
  repetitions: number,
  prepare?: (input: PreviewInput) => Promise<void>,
): Promise<EngineRuns> {
  const runs = new Map<Engine['name'], PreviewMeasurement[]>(
    inputs.map(({ engine }) => [engine.name, []]),
  )
  for (let index = 0; index < repetitions; index++)
    for (const input of inputs) {
      await prepare?.(input)
      runs.get(input.engine.name)?.push(await measurePreview(input))
    }
  return runs
}

/** Prints the runs of each engine, and the ratio of their wall times. */
function printRuns(
  pkg: string,
  measured: {
    readonly phase: 'first run' | 'later run'
    readonly engines: readonly Engine[]
    readonly runs: EngineRuns
  },
): void {
  const { phase, engines, runs } = measured
  const programLabels = { bench: 'program-start', package: pkg, sdk: values.sdk }
  const medians = new Map<Engine['name'], number>()
  for (const { name, version } of engines) {
    const engineRuns = runs.get(name) ?? []
    const labels = { ...programLabels, engine: name, version, phase }
    const cpuMedian = roundToHundredths(medianOfNumbers(engineRuns.map(sumCpuSeconds)))
    const firstCheckSeconds = engineRuns.map(run => run.firstCheckSeconds)
    const firstCheckMedian = medianOfNumbers(firstCheckSeconds)
    printReport({ ...labels, cpuMedian, firstCheckMedian, firstCheckSeconds }, engineRuns)
    medians.set(name, medianOfNumbers(engineRuns.map(run => run.seconds)))
  }
  const [antichainSeconds, pulumiSeconds] = [medians.get('antichain'), medians.get('pulumi')]
  if (antichainSeconds === undefined || pulumiSeconds === undefined) return
  const ratio = roundToHundredths(antichainSeconds / pulumiSeconds)
  const goal = phase === 'later run' ? { goal: laterRunRatioGoal } : {}
  console.log(JSON.stringify({ ...programLabels, phase, ratio, ...goal }))
}

function sumCpuSeconds({ cpuSeconds }: PreviewMeasurement): number {
  return Object.values(cpuSeconds).reduce((sum, seconds) => sum + seconds, 0)
}

function roundToHundredths(number: number): number {
  return Math.round(number * 100) / 100
}

for (const name of values.packages.split(',')) {
  const program = packagePrograms.find(one => one.name === name)
  if (program === undefined) throw new Error(`--packages: there is no program of ${name}`)
  await benchPackage(program, Number(values.repetitions))
}
