/**
 * Measures how many operations per second the embedded journal begins and ends durably. Each
 * operation has three writes: begin, outcome, select. A write is on disk before the next write of
 * its operation. Prints one JSON line for each number of concurrent operations (`--inFlight`).
 * `--operations` is the number of operations of a run. A run with one operation at a time has a
 * tenth of them. Usage: `node bench/journal.ts [--operations n] [--inFlight n,n] [--home folder]`.
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
  /** 99th percentile of the duration of an operation, in milliseconds. */
  readonly p99Ms: number
}

/** Runs one operation from begin to end: three durable writes. */
async function writeOperation(
  platform: EmbeddedPlatform,
  deployment: DeploymentId,
  operation: OperationId,
): Promise<void> {
  const owner = `owner-${operation}` as OwnerToken
  const beginRequest = { owner, executor: 'bench' as ExecutorId, expectedAttempt: 0, needs: 0 }
  const { kind } = await platform.operations.begin(deployment, operation, beginRequest)
  if (kind === 'refused') throw new Error('the home folder has records of an earlier run')
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

async function measureOperations(
  home: string,
  operationCount: number,
  inFlight: number,
): Promise<Measurement> {
  const platform = await openEmbeddedPlatform({ home })
  const deployment = deploymentIdOf(stackIdOf('bench', `in-flight-${inFlight}`), 1)
  const durationsMs: number[] = []
  let lastOperationId = 0
  const startMs = performance.now()
  const writeOperations = async (): Promise<void> => {
    while (lastOperationId < operationCount) {
      lastOperationId += 1
      const operationStartMs = performance.now()
      await writeOperation(platform, deployment, lastOperationId as OperationId)
      durationsMs.push(performance.now() - operationStartMs)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, writeOperations))
  const seconds = (performance.now() - startMs) / 1000
  await platform.close()
  durationsMs.sort((left, right) => left - right)
  return { seconds, p99Ms: durationsMs[Math.floor(operationCount * 0.99)] ?? 0 }
}

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '20000' },
    inFlight: { type: 'string', default: '1,16,64,256' },
    home: { type: 'string' },
  },
})
const home = values.home ?? mkdtempSync(join(tmpdir(), 'antichain-bench-'))
for (const inFlight of values.inFlight.split(',').map(Number)) {
  const operationCount =
    inFlight === 1 ? Math.ceil(Number(values.operations) / 10) : Number(values.operations)
  const { seconds, p99Ms } = await measureOperations(home, operationCount, inFlight)
  const [cpu] = cpus()
  const line = {
    bench: 'journal',
    machine: `${cpus().length} x ${cpu?.model ?? 'unknown'}, ${process.platform} ${release()}`,
    node: process.version,
    sqlite: process.versions['sqlite'],
    operations: operationCount,
    inFlight,
    seconds: Number(seconds.toFixed(3)),
    operationsPerSecond: Math.round(operationCount / seconds),
    writesPerSecond: Math.round((3 * operationCount) / seconds),
    p99Ms: Number(p99Ms.toFixed(2)),
  }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
if (values.home === undefined) rmSync(home, { recursive: true })
