/**
 * Measures all workloads of the table in docs/benchmarks.md, with Antichain and its peers in turn.
 * Other load on the machine thus affects all engines. A line is one workload with its number of
 * resources. After each line, writes docs/measured/all.json and the table of docs/benchmarks.md.
 * The lines of the file that are not measured now are kept if they have the same versions. Each
 * line has its own machine. `--lines` separates names by semicolons.
 * `node bench/all.ts [--against pulumi,tofu,terraform] [--repetitions 5] [--lines 'chain of 1,000'] [--out file]`
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { type BenchLine, benchLines, type PeerName, peerNames } from './all/lines.ts'
import { renderResults } from './all/render-table.ts'
import { type BenchResults, benchResultsForm } from './all/results-form.ts'
import { measureRound } from './all/measure-round.ts'
import { formatCurrentDate, describeMachine } from './cost/measurement-context.ts'
import { findEngines, repositoryRoot } from './engine.ts'
import { findTerraformPeer, terraformPeers } from './terraform.ts'

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
  readonly engineCpuSeconds: number[]
  peakMib: number
  delayP99Ms?: number
}

/** Returns the peers of `--against`. */
function readPeers(): ReadonlySet<PeerName> {
  const names = values.against.split(',').map(name => name.trim())
  const unknownName = names.find(name => !peerNames.some(peer => peer === name))
  if (unknownName !== undefined)
    throw new Error(`--against: '${unknownName}' is none of: ${peerNames.join(', ')}`)
  return new Set(peerNames.filter(name => names.includes(name)))
}

function selectLines(): readonly BenchLine[] {
  if (values.lines === undefined) return benchLines
  const names = values.lines.split(';').map(name => name.trim())
  const unknownName = names.find(name => benchLines.every(line => line.name !== name))
  if (unknownName === undefined) return benchLines.filter(({ name }) => names.includes(name))
  const known = benchLines.map(({ name }) => name).join('; ')
  throw new Error(`--lines: '${unknownName}' is none of: ${known}`)
}

async function measureLine(line: BenchLine, repetitions: number): Promise<LineResults> {
  const measured: Record<string, Record<string, CollectedMeasurements>> = {}
  const load = Math.round(loadavg()[0] ?? 0)
  for (let round = 0; round < repetitions; round += 1)
    for await (const { engine, phase, measurement: run, delayP99Ms } of measureRound(
      line,
      engines,
      peers,
    )) {
      console.error(`· ${line.name}, ${phase}, ${engine}: ${run.seconds} s`)
      const byEngine = (measured[phase] ??= {})
      const collected = (byEngine[engine] ??= {
        seconds: [],
        cpuSeconds: [],
        engineCpuSeconds: [],
        peakMib: 0,
      })
      collected.seconds.push(run.seconds)
      collected.cpuSeconds.push(Object.values(run.cpuSeconds).reduce((sum, next) => sum + next, 0))
      collected.engineCpuSeconds.push(run.cpuSeconds[engine] ?? 0)
      collected.peakMib = Math.max(collected.peakMib, run.peaksMib[engine] ?? 0)
      if (delayP99Ms !== undefined)
        collected.delayP99Ms = Math.max(collected.delayP99Ms ?? 0, delayP99Ms)
    }
  for (const byEngine of Object.values(measured))
    for (const { seconds, cpuSeconds, engineCpuSeconds } of Object.values(byEngine))
      for (const sorted of [seconds, cpuSeconds, engineCpuSeconds]) sorted.sort((x, y) => x - y)
  return {
    name: line.name,
    machine: describeMachine(),
    cores: availableParallelism(),
    date: formatCurrentDate(),
    load,
    repetitions,
    phases: measured,
  }
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

const peers = readPeers()
const engines = findEngines().filter(({ name }) => name === 'antichain' || peers.has(name))
const repetitions = Number(values.repetitions)
const context = {
  node: process.versions.node,
  versions: Object.fromEntries(listVersions()),
}
let lines = readEarlierLines()
for (const line of selectLines()) {
  const measured = await measureLine(line, repetitions)
  lines = [...lines.filter(({ name }) => name !== line.name), measured]
  writeResults({ ...context, lines })
}
console.log(renderResults({ ...context, lines }))

/** Returns names and versions of Antichain and of the peers that exist on this machine. */
function listVersions(): readonly (readonly [name: string, version: string])[] {
  const foundPeers = terraformPeers
    .filter(name => peers.has(name))
    .flatMap(name => findTerraformPeer(name) ?? [])
  return [
    ...engines.map(({ name, version }) => [name, version] as const),
    ...foundPeers.map(({ name, version }) => [name, version] as const),
  ]
}

/** Returns the lines of the results file that were measured with these versions. */
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
