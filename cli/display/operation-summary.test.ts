import { expect, test } from 'vitest'
import { createLiveSummary, formatSummary, summarizeEvents } from './operation-summary.ts'

const urnOf = (name: string): string => `urn:pulumi:dev::shop::a:b:C::${name}`
const stackUrn = 'urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev'

const begin = (op: string, name: string, states: object = {}) => ({
  timestamp: 1_005,
  resourcePreEvent: { metadata: { op, urn: urnOf(name), type: 'a:b:C', ...states } },
})
const endEvent = {
  timestamp: 1_040,
  summaryEvent: { durationSeconds: 40, result: 'failed', resourceChanges: { same: 1, create: 2 } },
}
const events = [
  { timestamp: 1_000, preludeEvent: { config: {} } },
  begin('same', 'kept'),
  begin('create', 'bucket', { old: null, new: { parent: stackUrn } }),
  begin('delete', 'old', { old: { parent: stackUrn }, new: null }),
  {
    timestamp: 1_035,
    diagnosticEvent: {
      urn: urnOf('db'),
      message: '<{%reset%}>no quota<{%reset%}>\n',
      severity: 'error',
    },
  },
  { diagnosticEvent: { message: 'deprecated', severity: 'warning' } },
  { diagnosticEvent: { message: 'once', severity: 'error', ephemeral: true } },
  { resOpFailedEvent: { metadata: { op: 'create', urn: urnOf('db') } } },
  { resOpFailedEvent: { metadata: { op: 'delete', urn: urnOf('old') } } },
]

test('stored events are summarized with failed resources and errors, and unchanged ones are omitted', () => {
  expect(JSON.stringify(summarizeEvents([...events, endEvent]))).toBe(
    JSON.stringify({
      result: 'failed',
      duration: 40_000_000_000,
      summary: { create: 2, same: 1 },
      resources: [
        { urn: urnOf('bucket'), type: 'a:b:C', name: 'bucket', op: 'create', parent: stackUrn },
        {
          urn: urnOf('old'),
          type: 'a:b:C',
          name: 'old',
          op: 'delete',
          parent: stackUrn,
          failed: true,
        },
        { urn: urnOf('db'), type: 'a:b:C', name: 'db', op: 'create', failed: true },
      ],
      diagnostics: [{ severity: 'error', urn: urnOf('db'), message: 'no quota' }],
    }),
  )
})

test('without a complete summary event, the result follows from errors, and the duration from the times', () => {
  expect(summarizeEvents(events)).toMatchObject({ result: 'failed', duration: 35_000_000_000 })
  expect(summarizeEvents([begin('create', 'x')])).toMatchObject({ result: 'unknown', duration: 0 })
  expect(summarizeEvents([{ summaryEvent: {} }])).toEqual({ result: 'succeeded', duration: 0 })
  expect(summarizeEvents([])).toEqual({ result: 'unknown', duration: 0 })
})

test('malformed events of clients are summarized without an error', () => {
  const badEvents = [{ resourcePreEvent: 7 }, { summaryEvent: null }, { diagnosticEvent: 'x' }, {}]
  expect(summarizeEvents(badEvents)).toMatchObject({ result: 'succeeded' })
})

test('a formatted summary has result, duration, changes, resources and messages', () => {
  expect(formatSummary(summarizeEvents([...events, endEvent]))).toEqual([
    'Result:   failed',
    'Duration: 40s',
    'Changes:  2 create, 1 same',
    '',
    'NAME    TYPE   OP',
    'bucket  a:b:C  create',
    'old     a:b:C  delete (failed)',
    'db      a:b:C  create (failed)',
    '',
    'Diagnostics:',
    `  error: ${urnOf('db')}: no quota`,
  ])
})

test('a running operation lists unchanged resources on request only', () => {
  const readNames = (showSames: boolean): readonly unknown[] => {
    const summary = createLiveSummary({ showSames })
    for (const event of [...events, endEvent]) summary.add(event)
    return (summary.read().resources ?? []).map(({ name }) => name)
  }
  expect(readNames(false)).toEqual(['bucket', 'old'])
  expect(readNames(true)).toEqual(['kept', 'bucket', 'old'])
})
