import { expect, test } from 'vitest'
import { describeEvent } from './describe-event.ts'

const urn = 'urn:pulumi:dev::shop::a:b:C::x'

test('describeEvent returns the kind and the details of an event, like the table of Pulumi', () => {
  const diagnosticEvent = {
    severity: 'error',
    urn,
    message: '<{%fg 1%}>it <{%reset%}>\u001b[31mfailed\u001b[0m\nhere\n',
  }
  expect(
    [
      { diagnosticEvent },
      { resourcePreEvent: { metadata: { op: 'create', urn } } },
      { summaryEvent: { result: 'failed', durationSeconds: 3 } },
      { policyEvent: { policyPackName: 'p', policyName: 'n', message: 'no' } },
      { policyAnalyzeSummaryEvent: { policyPackName: 'p' } },
      { errorEvent: { error: 'no plugin' } },
      { cancelEvent: {} },
      { newEvent: {} },
      { diagnosticEvent: { severity: 'in\u001b]0;title\u0007fo\n', message: 'x' } },
    ].map(event => describeEvent(event)),
  ).toEqual([
    { kind: 'diagnostic/error', details: `${urn}: it failed here` },
    { kind: 'resource-pre', details: `create ${urn}` },
    { kind: 'summary', details: 'result=failed duration=3s' },
    { kind: 'policy', details: 'p/n: no' },
    { kind: 'policy-analyze-summary', details: 'p' },
    { kind: 'error', details: 'no plugin' },
    { kind: 'cancel', details: '' },
    { kind: 'unknown', details: '' },
    { kind: 'diagnostic/info', details: 'x' },
  ])
})
