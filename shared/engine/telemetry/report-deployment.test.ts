import { expect, test } from 'vitest'
import type { HistoryRecord } from '../../ports/catalog.ts'
import { noTelemetry, type SpanRecord } from '../../ports/telemetry.ts'
import { deploymentIdOf, type EpochMs, stackIdOf } from '../../records/ids.ts'
import { reportDeployment } from './report-deployment.ts'

const deployment = deploymentIdOf(stackIdOf('shop', 'dev'), 3)

const entry: HistoryRecord = {
  deployment,
  command: 'up',
  message: '',
  result: 'succeeded',
  startedAt: 3_000 as EpochMs,
  endedAt: 3_500 as EpochMs,
}

test.each([
  ['its history entry as a span', true, async () => entry, ['deployment up from 3000 to 3500']],
  ['nothing without an entry', true, async () => undefined, []],
  ['nothing if the entry cannot be read', true, () => Promise.reject(new Error('down')), []],
  ['nothing while telemetry is off', false, async () => entry, []],
])('the report of an ended deployment has %s', async (_name, isOn, readEntry, expected) => {
  const spans: SpanRecord[] = []
  const telemetry = { ...noTelemetry, isOn, recordSpan: (span: SpanRecord) => spans.push(span) }
  await reportDeployment({ telemetry, readEntry }, deployment, { base: '' })
  const texts = spans.map(({ name, startMs, endMs }) => `${name} from ${startMs} to ${endMs}`)
  expect(texts).toEqual(expected)
})
