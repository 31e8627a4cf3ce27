import { expect, test } from 'vitest'
import { deploymentIdOf, type OperationId, stackIdOf } from '../../records/ids.ts'
import {
  deriveOperationSpan,
  deriveDeploymentTrace,
  restoreTrace,
  toTraceField,
} from './deployment-trace.ts'

const deployment = deploymentIdOf(stackIdOf('shop', 'dev'), 7)
const caller = { traceId: 'a1'.repeat(16), spanId: 'b2'.repeat(8), isSampled: true }

test.each([
  ['a caller', { ...caller, parent: caller }],
  ['no caller', { traceId: caller.traceId, isSampled: true }],
])('a process with only the pin restores the trace of a deployment with %s', (_case, start) => {
  const trace = deriveDeploymentTrace(deployment, start)
  expect(restoreTrace(deployment, { trace: toTraceField(trace), base: '' })).toEqual(trace)
})

test('each operation of each deployment has a span id of its own', () => {
  const other = deploymentIdOf(stackIdOf('shop', 'dev'), 8)
  const ids = [deployment, other].flatMap(id => {
    const trace = deriveDeploymentTrace(id, caller)
    const operations = [1, 2, 12].map(number => deriveOperationSpan(trace, number as OperationId))
    return [trace.span, ...operations].map(span => span.spanId)
  })
  expect(new Set(ids).size).toBe(8)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/)
})

test('a pin without a trace leads to the same trace in every process', () => {
  const trace = restoreTrace(deployment, { base: 'b' })
  expect(trace).toEqual(restoreTrace(deployment, { base: 'b' }))
  expect(trace.parent).toBeUndefined()
  expect(trace.span.traceId).not.toBe(restoreTrace(deployment, { base: 'c' }).span.traceId)
})
