import { expect, test } from 'vitest'
import { noTelemetry, type SpanRecord, type TelemetryPort } from '../../ports/telemetry.ts'
import { deploymentIdOf, type EpochMs, stackIdOf } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { deriveDeploymentTrace } from './deployment-trace.ts'
import { createOperationObserver, observeNothing } from './observe-operation.ts'

const deployment = deploymentIdOf(stackIdOf('shop', 'dev'), 7)
const trace = deriveDeploymentTrace(deployment, { traceId: 'a1'.repeat(16), isSampled: true })
const operation = {
  id: 3,
  op: 'refresh',
  type: 't:m:T',
  urn: 'urn:pulumi:dev::shop::t:m:T::name',
  state: { inputs: { password: 'swordfish' } },
} as unknown as Operation

test('an operation becomes a span with its waits and retries, and is counted', () => {
  const spans: SpanRecord[] = []
  const counted: string[] = []
  const durations: unknown[] = []
  const telemetry: TelemetryPort = {
    ...noTelemetry,
    isOn: true,
    recordSpan: span => spans.push(span),
    addToCounter: name => counted.push(name),
    recordDuration: (name, seconds) => durations.push([name, seconds]),
  }
  let nowMs = 1_000
  const clock = { now: () => nowMs as EpochMs }
  const observation = createOperationObserver({ telemetry, clock }, deployment, trace)(operation)
  nowMs = 3_000
  observation.endWait('limit')
  observation.endWait('slot')
  observation.countRetry('not-sent')
  observation.countThrottledCall()
  nowMs = 4_500
  observation.end({ verdict: 'succeeded', resultOp: 'update' }, 2)
  expect(spans).toMatchObject([
    {
      name: 'refresh t:m:T',
      parent: trace.span,
      startMs: 1_000,
      endMs: 4_500,
      hasFailed: false,
      attributes: {
        'antichain.operation.attempts': 2,
        'antichain.operation.outcome': 'succeeded',
        'antichain.resource.urn': operation.urn,
      },
      events: [
        { name: 'wait', attributes: { 'antichain.wait.seconds': 2 } },
        { name: 'retry' },
        { name: 'throttled' },
      ],
    },
  ])
  expect(JSON.stringify(spans)).not.toContain('swordfish')
  expect(counted).toEqual([
    'antichain.retries',
    'antichain.throttled_calls',
    'antichain.operations',
    'antichain.drifted_resources',
  ])
  expect(durations).toEqual([
    ['antichain.operation.wait', 2],
    ['antichain.operation.wait', 0],
    ['antichain.operation.duration', 1.5],
  ])
})

test('without telemetry, one observation that does nothing serves all operations', () => {
  const observe = createOperationObserver(
    { telemetry: noTelemetry, clock: { now: () => 1 as EpochMs } },
    deployment,
    trace,
  )
  expect(observe).toBe(observeNothing)
  expect(observe(operation)).toBe(observe({ ...operation }))
  expect(observe(operation).runWithin(() => 5)).toBe(5)
})
