import { expect, test } from 'vitest'
import { deriveDeploymentTrace } from '../../engine/telemetry/deployment-trace.ts'
import { noTelemetry, type SpanRecord, type TelemetryPort } from '../../ports/telemetry.ts'
import type { ClockPort } from '../../ports/system.ts'
import { deploymentIdOf, stackIdOf } from '../../records/ids.ts'
import { createRunTrace } from './run-trace.ts'

const clock = { now: () => 1 } as unknown as ClockPort
const trace = deriveDeploymentTrace(deploymentIdOf(stackIdOf('shop', 'dev'), 7), {
  traceId: 'a1'.repeat(16),
  isSampled: true,
})
const run = { name: 'generator run', parent: trace.span, attributes: {} }
const call = { plugin: 'random', path: '/pulumirpc.ResourceProvider/Check' }

function createRecorder() {
  const spans: SpanRecord[] = []
  let lastId = 0
  const telemetry: TelemetryPort = {
    ...noTelemetry,
    isOn: true,
    createSpanId: () => String(++lastId).padStart(16, '0'),
    recordSpan: span => spans.push(span),
  }
  return { spans, runTrace: createRunTrace({ telemetry, clock }, { PATH: '/bin' }) }
}

test('programs and plugins of a run get its span as TRACEPARENT, and calls are its children', async () => {
  const { spans, runTrace } = createRecorder()
  runTrace.beginRun(run)
  const runSpanId = '0000000000000001'
  expect(runTrace.variables).toEqual({
    PATH: '/bin',
    TRACEPARENT: `00-${trace.span.traceId}-${runSpanId}-01`,
  })
  const metadata = await runTrace.traceCall?.(call, async sent => sent)
  expect(metadata).toEqual({ traceparent: `00-${trace.span.traceId}-0000000000000002-01` })
  runTrace.endRun()
  runTrace.endRun()
  expect(spans).toMatchObject([
    { name: 'pulumirpc.ResourceProvider/Check', parent: { spanId: runSpanId }, hasFailed: false },
    { name: 'generator run', parent: trace.span },
  ])
})

test('the span of a failed call has its status, and not its message', async () => {
  const { spans, runTrace } = createRecorder()
  runTrace.joinDeployment(trace)
  const failure = Object.assign(new Error('swordfish'), { code: 13, metadata: {}, details: '' })
  await expect(runTrace.traceCall?.(call, () => Promise.reject(failure))).rejects.toBe(failure)
  expect(spans).toMatchObject([
    { parent: trace.span, hasFailed: true, attributes: { 'rpc.grpc.status_code': 13 } },
  ])
  expect(JSON.stringify(spans)).not.toContain('swordfish')
})

test('a run without telemetry passes the variables of its caller, and traces no call', () => {
  const variables = { TRACEPARENT: 'theirs' }
  const runTrace = createRunTrace({ telemetry: noTelemetry, clock }, variables)
  runTrace.beginRun(run)
  expect(runTrace.variables).toBe(variables)
  expect(runTrace.variables).toEqual({ TRACEPARENT: 'theirs' })
  expect(runTrace.traceCall).toBeUndefined()
})
