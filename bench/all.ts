/**
 * Measures all workloads of the table in docs/benchmarks.md, with Antichain and its peers in turn.
 * Other load on the machine thus affects all engines. A line is one workload with its number of
 * resources. After each line, writes docs/measured/all.json and the table of docs/benchmarks.md.
 * The lines of the file that are not measured now are kept if they have the same machine and
 * versions. `--lines` separates names by semicolons.
 * `node bench/all.ts [--against pulumi] [--repetitions 5] [--lines 'chain of 1,000'] [--out file]`
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { type BenchLine, benchLines, type BenchPhase, phaseArgs } from './all/lines.ts'
import { renderResults } from './all/render-table.ts'
import { type BenchResults, benchResultsForm } from './all/results-form.ts'
import { buildGoPrograms } from './build-go-programs.ts'
import { formatCurrentDate, describeMachine } from './cost/measurement-context.ts'
import { type Engine, findEngines, repositoryRoot } from './engine.ts'
import type { RunMeasurement } from './measure-run.ts'
import { withProgram } from './workload.ts'

const resultsFile = join(repositoryRoot, 'docs/measured/all.json')
const { values } = parseArgs({
  options: {
    against: { type: 'string', default: 'pulumi' },
    repetitions: { type: 'string', default: '5' },
    lines: { type: 'string' },
    out: { type: 'string', default: resultsFile },
  },
})

type LineResults = BenchResults['lines'][number]

/** The measurements of one command with one engine, from the rounds so far. */
interface CollectedMeasurements {
  readonly seconds: number[]
  readonly cpuSeconds: number[]
  peakMib: number
}

/** Returns the engines of `--against`, with Antichain first. */
function selectEngines(): readonly Engine[] {
  const peers = new Set(values.against.split(',').map(name => name.trim()))
  return findEngines().filter(({ name }) => name === 'antichain' || peers.has(name))
}

function selectLines(): readonly BenchLine[] {
  if (values.lines === undefined) return benchLines
  const names = values.lines.split(';').map(name => name.trim())
  const unknownName = names.find(name => benchLines.every(line => line.name !== name))
  if (unknownName === undefined) return benchLines.filter(({ name }) => names.includes(name))
  const known = benchLines.map(({ name }) => name).join('; ')
  throw new Error(`--lines: '${unknownName}' is none of: ${known}`)
}

/** Measures one line with one engine once, and returns the run of each phase. */
async function runLine(
  engine: Engine,
  line: BenchLine,
): Promise<ReadonlyMap<BenchPhase, RunMeasurement>> {
  return withProgram(line.workload, async folder => {
    const providerFolder =
      line.workload === 'go' ? { BENCH_PROVIDER: buildGoPrograms().providerFolder } : {}
    const env = { N: String(line.resources), ...line.variables, ...providerFolder }
    await engine.run(folder, ['stack', 'init', 'bench'], env)
    const runs = new Map<BenchPhase, RunMeasurement>()
    for (const phase of line.phases) {
      const run = await engine.run(folder, argumentsOf(line, phase), env)
      if (run.exitCode !== 0) throw new Error(`${engine.name}: ${phase} of ${line.name} failed`)
      runs.set(phase, run)
      console.error(`· ${line.name}, ${phase}, ${engine.name}: ${run.seconds} s`)
    }
    return runs
  })
}

function argumentsOf({ parallel }: BenchLine, phase: BenchPhase): readonly string[] {
  if (phase === 'stack ls') return phaseArgs[phase]
  const parallelArgs = parallel === undefined ? [] : ['--parallel', String(parallel)]
  return [...phaseArgs[phase], '--stack', 'bench', ...parallelArgs]
}

async function measureLine(
  engines: readonly Engine[],
  line: BenchLine,
  repetitions: number,
): Promise<LineResults> {
  const measured: Record<string, Record<string, CollectedMeasurements>> = {}
  const rounds = Math.min(repetitions, line.repetitionsMax ?? repetitions)
  const load = Math.round(loadavg()[0] ?? 0)
  for (let round = 0; round < rounds; round += 1)
    for (const engine of engines) {
      if (engine.name !== 'antichain' && !line.hasPeer) continue
      for (const [phase, run] of await runLine(engine, line)) {
        const byEngine = (measured[phase] ??= {})
        const collected = (byEngine[engine.name] ??= { seconds: [], cpuSeconds: [], peakMib: 0 })
        collected.seconds.push(run.seconds)
        collected.cpuSeconds.push(
          Object.values(run.cpuSeconds).reduce((sum, next) => sum + next, 0),
        )
        collected.peakMib = Math.max(collected.peakMib, run.peaksMib[engine.name] ?? 0)
      }
    }
  for (const byEngine of Object.values(measured))
    for (const { seconds, cpuSeconds } of Object.values(byEngine))
      for (const sorted of [seconds, cpuSeconds]) sorted.sort((a, b) => a - b)
  return { name: line.name, date: formatCurrentDate(), load, repetitions: rounds, phases: measured }
}

/** Replaces the table of docs/benchmarks.md, unless `--out` names another file of results. */
function writePage(results: BenchResults): void {
  if (values.out !== resultsFile) return
  const page = join(repositoryRoot, 'docs/benchmarks.md')
  const pattern = /(<!-- all-table: begin[^>]*-->\n)[^]*?(<!-- all-table: end -->)/
  const text = readFileSync(page, 'utf8')
  if (!pattern.test(text)) throw new Error('docs/benchmarks.md has no table of all workloads')
  const table = renderResults(results)
  writeFileSync(
    page,
    text.replace(pattern, (_, begin: string, end: string) => `${begin}\n${table}\n\n${end}`),
  )
}

const engines = selectEngines()
const repetitions = Number(values.repetitions)
const context = {
  machine: describeMachine(),
  cores: availableParallelism(),
  node: process.versions.node,
  versions: Object.fromEntries(engines.map(({ name, version }) => [name, version])),
}
let lines = readEarlierLines()
for (const line of selectLines()) {
  const measured = await measureLine(engines, line, repetitions)
  lines = [...lines.filter(({ name }) => name !== line.name), measured]
  writeResults({ ...context, lines })
}
console.log(renderResults({ ...context, lines }))

/** Returns the lines of the results file that were measured on this machine with these versions. */
function readEarlierLines(): BenchResults['lines'] {
  if (!existsSync(values.out)) return []
  const { lines: earlierLines, ...earlier } = benchResultsForm.parse(
    JSON.parse(readFileSync(values.out, 'utf8')),
  )
  return isDeepStrictEqual(earlier, context) ? earlierLines : []
}

/** Writes the results and the table of the page, both formatted as the repository is. */
function writeResults(results: BenchResults): void {
  writeFileSync(values.out, `${JSON.stringify(results, undefined, 2)}\n`)
  const biome = join(repositoryRoot, 'node_modules', '.bin', 'biome')
  execFileSync(biome, ['format', '--write', values.out], { stdio: 'ignore' })
  writePage(results)
}
