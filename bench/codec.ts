/**
 * Measures the codec of states for each number of resources (`--sizes`): decode, encode, fold,
 * verify, diff, or the `--steps`. Each step runs `--repetitions` times. Prints one JSON line for
 * each step, with the medians of wall time, processor time and the longest delay of other work. On
 * a busy machine only processor time is comparable. Usage: `node bench/codec.ts [--sizes n,n]
 * [--repetitions n] [--steps name,name]`.
 */
import { cpus, loadavg, release } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { type JournalEntry } from '../shared/journal/entry.ts'
import { completeReplay, sortResources } from '../shared/journal/fold.ts'
import { replayEntries } from '../shared/journal/replay-entries.ts'
import { openManagerFromState } from '../shared/secrets/secrets-from-state.ts'
import { diffStates } from '../shared/state/diff-states.ts'
import { printStateBlob } from '../shared/state/print-envelope.ts'
import {
  decodeSnapshot,
  encodeSnapshot,
  envelopeOf,
  manifestOf,
  parseEnvelope,
} from '../shared/state/snapshot-codec.ts'
import { verifyIntegrity } from '../shared/state/snapshot-integrity.ts'
import type { StoredDeployment, StoredResource } from '../shared/state/stored.ts'
import { medianOfNumbers } from './median.ts'

const time = '2026-01-01T00:00:00Z'
const version = 'v3.200.0'
const prefix = 'urn:pulumi:dev::bench::'
const stackUrn = `${prefix}pulumi:pulumi:Stack::bench-dev`
const manager = await openManagerFromState({ type: 'b64', state: null }, undefined)

/** Returns a resource of some 3 KB that depends on the previous one. */
function createResource(index: number): StoredResource {
  const urnOf = (position: number): string => `${prefix}pkg:index:Thing::thing-${position}`
  const properties = {
    name: `thing-${index}`,
    size: index,
    tags: { owner: 'bench', team: 'core' },
    text: 'x'.repeat(600),
    rules: Array.from({ length: 8 }, (_, rule) => ({ port: rule, cidr: '10.0.0.0/8', on: true })),
  }
  return {
    urn: urnOf(index),
    custom: true,
    id: `id-${index}`,
    type: 'pkg:index:Thing',
    inputs: properties,
    outputs: { ...properties, arn: `arn:bench:thing/${index}` },
    parent: stackUrn,
    ...(index === 0 ? {} : { dependencies: [urnOf(index - 1)] }),
    created: time,
    modified: time,
  }
}

/** Returns the resource as it is read from a record of its own. */
function parseAlone(resource: StoredResource): StoredResource {
  return JSON.parse(JSON.stringify(resource)) as StoredResource
}

function createDeployment(resources: readonly StoredResource[]): StoredDeployment {
  return {
    manifest: manifestOf(version, time),
    secrets_providers: { type: manager.type, state: manager.state },
    resources: [{ urn: stackUrn, custom: false, type: 'pulumi:pulumi:Stack' }, ...resources],
    metadata: {},
  }
}

/** Returns the entries of successful creates: a begin and an end of each. */
function entriesOf(resources: readonly StoredResource[]): readonly JournalEntry[] {
  return resources.flatMap((resource, index): readonly JournalEntry[] => [
    {
      ...{ kind: 'begin', sequence: 2 * index + 1, operation: index + 1 },
      pending: { resource, type: 'creating' },
    },
    { kind: 'success', sequence: 2 * index + 2, operation: index + 1, state: resource },
  ])
}

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    repetitions: { type: 'string', default: '3' },
    steps: { type: 'string', default: 'decode,encode,fold,verify,diff' },
  },
})
const repetitions = Number(values.repetitions)
const steps = values.steps.split(',')

/** Number of resources that one measurement of a short step covers. */
const shortStepResources = 600_000

const roundToHundredths = (number: number): number => Math.round(number * 100) / 100

/**
 * Runs a step several times, and prints its medians. `runs`: the number of runs in one measurement,
 * so that short steps exceed the resolution of the clock of processor time.
 */
async function measure(
  step: string,
  labels: Readonly<Record<string, number>>,
  run: () => unknown,
  runs = 1,
): Promise<void> {
  if (!steps.includes(step)) return
  const wallMs: number[] = []
  const cpuMs: number[] = []
  const delayMs: number[] = []
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const startMs = performance.now()
    const startUsage = process.threadCpuUsage()
    const delays = monitorEventLoopDelay({ resolution: 5 })
    delays.enable()
    for (let count = 0; count < runs; count++) await run()
    delays.disable()
    delayMs.push(delays.max / 1e6)
    const { user, system } = process.threadCpuUsage(startUsage)
    wallMs.push((performance.now() - startMs) / runs)
    cpuMs.push((user + system) / 1000 / runs)
  }
  const line = {
    bench: 'codec',
    step,
    ...labels,
    repetitions,
    wallMs: roundToHundredths(medianOfNumbers(wallMs)),
    cpuMs: roundToHundredths(medianOfNumbers(cpuMs)),
    delayMs: Math.round(medianOfNumbers(delayMs)),
    cpuMicrosecondsEach: roundToHundredths((medianOfNumbers(cpuMs) * 1000) / (labels['size'] ?? 1)),
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
    machine: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${process.platform} ${release()}`,
    node: process.version,
  }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

for (const size of values.sizes.split(',').map(Number)) {
  const resources = Array.from({ length: size }, (_, index) => createResource(index))
  const deployment = createDeployment(resources)
  const blob = await printStateBlob(await envelopeOf(deployment))
  const labels = { size, megabytes: Math.round(blob.length / 1e6) }
  await measure('decode', labels, async () => {
    const { deployment: stored } = await parseEnvelope(blob)
    return stored === null ? undefined : decodeSnapshot(stored, manager)
  })
  const snapshot = await decodeSnapshot(deployment, manager)
  await measure('encode', labels, async () =>
    printStateBlob(await envelopeOf(await encodeSnapshot(snapshot, manager, 'sealed'))),
  )
  // Two entries belong to each create, so that half as many creates have `size` entries.
  const entries = entriesOf(resources.slice(0, Math.ceil(size / 2)).map(parseAlone))
  const base = createDeployment([])
  const runs = Math.max(1, Math.round(shortStepResources / size))
  const foldOnce = (): StoredDeployment =>
    completeReplay(
      replayEntries(base, entries, { baseFeatures: [], now: time, version, sortResources }),
    )
  await measure('fold', { ...labels, entries: entries.length }, foldOnce, runs)
  const { deployment: parsed } = await parseEnvelope(blob)
  await measure('verify', labels, () => verifyIntegrity(parsed ?? deployment), runs)
  const changed = createDeployment(
    resources.map((resource, index) => (index % 10 === 0 ? { ...resource, id: 'new' } : resource)),
  )
  await measure('diff', labels, () => diffStates(deployment, changed, () => undefined))
}
