/**
 * telemetry: the cost of telemetry. Measures a deployment without it, with a collector, and with
 * the address of a collector that does not run. Also measures the code that each operation runs
 * without telemetry.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { deriveDeploymentTrace } from '../shared/engine/telemetry/deployment-trace.ts'
import { createOperationObserver } from '../shared/engine/telemetry/observe-operation.ts'
import { noTelemetry } from '../shared/ports/telemetry.ts'
import { deploymentIdOf, type EpochMs, stackIdOf } from '../shared/records/ids.ts'
import type { Operation } from '../shared/records/operation.ts'
import { findAntichain } from './engine.ts'
import type { RunMeasurement } from './measure-run.ts'
import { printReport } from './print-report.ts'
import { withProgram } from './workload.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '300' },
    repetitions: { type: 'string', default: '3' },
  },
})

const observationCount = 1_000_000

/** Returns the time of one operation's observation without telemetry, in ns. */
function measureObservation(): number {
  const deployment = deploymentIdOf(stackIdOf('bench', 'dev'), 1)
  const trace = deriveDeploymentTrace(deployment, { traceId: 'a1'.repeat(16), isSampled: true })
  const ports = { telemetry: noTelemetry, clock: { now: () => 0 as EpochMs } }
  const observe = createOperationObserver(ports, deployment, trace)
  const operation = { id: 1, op: 'create' } as unknown as Operation
  const startNs = process.hrtime.bigint()
  for (let count = 0; count < observationCount; count += 1) {
    const observation = observe(operation)
    observation.endWait('limit')
    observation.endWait('slot')
    observation.runWithin(() => count)
    observation.end({ verdict: 'succeeded', resultOp: undefined }, 1)
  }
  return Number(process.hrtime.bigint() - startNs) / observationCount
}

async function measureDeployments(size: number, repetitions: number): Promise<void> {
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const { port } = collector.address() as AddressInfo
  const endpoints = { off: '', on: `http://127.0.0.1:${port}`, unreachable: 'http://127.0.0.1:1' }
  const runs = { off: [], on: [], unreachable: [] } as Record<
    keyof typeof endpoints,
    RunMeasurement[]
  >
  const antichain = findAntichain()
  await withProgram('flat', async folder => {
    await antichain.run(folder, ['stack', 'init', 'bench'], {})
    for (let count = 0; count < repetitions; count += 1)
      for (const mode of ['off', 'on', 'unreachable'] as const) {
        const env = { N: String(size), OTEL_EXPORTER_OTLP_ENDPOINT: endpoints[mode] }
        const options = ['--yes', '--skip-preview', '--stack', 'bench']
        runs[mode].push(await antichain.run(folder, ['up', ...options], env))
        await antichain.run(folder, ['destroy', ...options], { N: String(size) })
      }
  })
  for (const mode of ['off', 'on', 'unreachable'] as const)
    printReport({ bench: 'telemetry', phase: 'create', size, telemetry: mode }, runs[mode])
  collector.closeAllConnections()
  collector.close()
}

console.log(JSON.stringify({ bench: 'telemetry', nsPerOperationOff: measureObservation() }))
for (const size of values.sizes.split(','))
  await measureDeployments(Number(size), Number(values.repetitions))
