import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { startOtlpReceiver } from '../../../test/integration/otlp-receiver.ts'
import { openTelemetry } from './open-telemetry.ts'
import {
  noTelemetry,
  telemetryAges,
  telemetryCounters,
  telemetryDurations,
  type TelemetryPort,
} from '../../ports/telemetry.ts'

afterEach(() => vi.unstubAllEnvs())

const span = { traceId: 'a1'.repeat(16), spanId: 'b2'.repeat(8), isSampled: true }

/** Opens telemetry for an endpoint. The exporters read the variables of the process. */
function open(url: string, timeoutMs: number) {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url)
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', String(timeoutMs))
  const warnings: string[] = []
  const onWarning = (message: string): void => void warnings.push(message)
  return { telemetry: openTelemetry({ env: process.env, onWarning }), warnings }
}

function recordAll(telemetry: TelemetryPort): void {
  telemetry.recordSpan({
    name: 'n',
    kind: 'internal',
    context: span,
    startMs: 1,
    endMs: 2,
    attributes: {},
    events: [],
    hasFailed: true,
  })
  telemetry.addToCounter('antichain.operations', 1, {})
  telemetry.recordAge('antichain.chain.age', 2)
  telemetry.runWithin(span, () => telemetry.recordLog('warn', 'thing.happened', { reason: 'x' }))
}

test('spans keep their ids, and metrics and logs arrive at the collector', async () => {
  const collector = await startOtlpReceiver()
  const { telemetry, warnings } = open(collector.url, 5_000)
  recordAll(telemetry)
  await telemetry.flush()
  const { traceId, spanId } = span
  expect(collector.spans).toMatchObject([{ traceId, spanId, parentSpanId: '', hasFailed: true }])
  expect([...collector.metrics]).toEqual(['antichain.operations', 'antichain.chain.age'])
  expect(collector.logs).toEqual(['thing.happened'])
  expect(warnings).toEqual([])
  await collector.close()
})

test('spans of a trace that is not sampled are not sent, and a sampler selects new traces', async () => {
  const collector = await startOtlpReceiver()
  vi.stubEnv('OTEL_TRACES_SAMPLER', 'always_off')
  const { telemetry } = open(collector.url, 5_000)
  const start = telemetry.startTrace()
  expect(start).toMatchObject({ isSampled: false })
  const context = { ...span, isSampled: start?.isSampled === true }
  telemetry.recordSpan({
    name: 'n',
    kind: 'internal',
    context,
    startMs: 1,
    endMs: 2,
    attributes: {},
    events: [],
    hasFailed: false,
  })
  telemetry.addToCounter('antichain.operations', 1, {})
  await telemetry.flush()
  expect(collector.spans).toEqual([])
  expect([...collector.metrics]).toEqual(['antichain.operations'])
  await collector.close()
})

test('a collector that refuses causes one warning, and later flushes do not wait', async () => {
  const collector = await startOtlpReceiver(403)
  const { telemetry, warnings } = open(collector.url, 5_000)
  for (let round = 0; round < 3; round += 1) {
    recordAll(telemetry)
    await telemetry.flush()
  }
  expect(warnings).toEqual([expect.stringContaining('HTTP status 403')])
  await collector.close()
})

test('a collector that never answers delays a flush only for the time limit', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const address = server.address()
  const { telemetry } = open(
    `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    300,
  )
  recordAll(telemetry)
  const startedMs = performance.now()
  await telemetry.flush()
  expect(performance.now() - startedMs).toBeLessThan(2_000)
  server.close()
})

test('without an endpoint nothing is recorded, and refused settings are reported', () => {
  expect(openTelemetry({ env: {}, onWarning: expect.unreachable })).toBe(noTelemetry)
  const { telemetry, warnings } = open('nowhere', 1)
  expect([telemetry, warnings]).toEqual([noTelemetry, [expect.stringContaining('is no URL')]])
})

test('docs/observability.md lists every metric', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/observability.md'), 'utf8')
  for (const name of Object.keys({ ...telemetryCounters, ...telemetryDurations, ...telemetryAges }))
    expect(page).toContain(`\`${name}\``)
})
