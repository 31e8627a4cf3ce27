/**
 * Measures how many operations per second the embedded journal begins and ends durably. For each
 * operation there are three writes: begin, outcome, select. Each is on disk before the next one of
 * the operation. Prints one JSON line for each number of concurrent operations. `node
 * bench/journal.ts [--pairs n] [--inFlight n,n] [--home folder]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, release, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../shared/platform/embedded/embedded-platform.ts'
import {
  type DeploymentId,
  type ExecutorId,
  type OperationId,
  type OwnerToken,
  deploymentIdOf,
  stackIdOf,
} from '../shared/records/ids.ts'

/** The result of one run. */
interface Measurement {
  readonly seconds: number
  /** 99th percentile of the duration of a pair, in milliseconds. */
  readonly p99Ms: number
}

/** Runs one operation from begin to end: three durable writes. */
async function writePair(
  platform: EmbeddedPlatform,
  deployment: DeploymentId,
  operation: OperationId,
): Promise<void> {
  const owner = `owner-${operation}` as OwnerToken
  const claim = { owner, executor: 'bench' as ExecutorId, attempt: 0, needs: 0 }
  await platform.operations.begin(deployment, operation, claim)
  const now = platform.clock.now()
  await platform.operations.putOutcome(deployment, {
    operation,
    attempt: 1,
    verdict: 'succeeded',
    state: {
      urn: `urn:pulumi:dev::bench::pkg:index:Thing::thing-${operation}`,
      custom: true,
      type: 'pkg:index:Thing',
      id: `id-${operation}`,
      inputs: { text: 'x'.repeat(400) },
      outputs: { text: 'x'.repeat(400) },
    },
    startedAt: now,
    endedAt: now,
  })
  const end = { owner, attempt: 1, verdict: 'succeeded' } as const
  await platform.operations.select(deployment, operation, end)
}

async function measurePairs(home: string, pairs: number, inFlight: number): Promise<Measurement> {
  const platform = await openEmbeddedPlatform({ home })
  const deployment = deploymentIdOf(stackIdOf('bench', `in-flight-${inFlight}`), 1)
  const durationsMs: number[] = []
  let lastOperation = 0
  const startMs = performance.now()
  const writePairs = async (): Promise<void> => {
    while (lastOperation < pairs) {
      lastOperation += 1
      const pairStartMs = performance.now()
      await writePair(platform, deployment, lastOperation as OperationId)
      durationsMs.push(performance.now() - pairStartMs)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, writePairs))
  const seconds = (performance.now() - startMs) / 1000
  await platform.close()
  durationsMs.sort((left, right) => left - right)
  return { seconds, p99Ms: durationsMs[Math.floor(pairs * 0.99)] ?? 0 }
}

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '20000' },
    inFlight: { type: 'string', default: '1,16,64,256' },
    home: { type: 'string' },
  },
})
const home = values.home ?? mkdtempSync(join(tmpdir(), 'antichain-bench-'))
for (const inFlight of values.inFlight.split(',').map(Number)) {
  const pairs = inFlight === 1 ? Math.ceil(Number(values.pairs) / 10) : Number(values.pairs)
  const { seconds, p99Ms } = await measurePairs(home, pairs, inFlight)
  const [cpu] = cpus()
  const line = {
    bench: 'journal',
    machine: `${cpus().length} x ${cpu?.model ?? 'unknown'}, ${process.platform} ${release()}`,
    node: process.version,
    sqlite: process.versions['sqlite'],
    n: pairs,
    inFlight,
    seconds: Number(seconds.toFixed(3)),
    pairsPerSecond: Math.round(pairs / seconds),
    writesPerSecond: Math.round((3 * pairs) / seconds),
    p99Ms: Number(p99Ms.toFixed(2)),
  }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
if (values.home === undefined) rmSync(home, { recursive: true })
