import { expect, test } from 'vitest'
import { formatTraceParent, parseTraceParent } from './trace-context.ts'

const [traceId, spanId] = ['a1'.repeat(16), 'b2'.repeat(8)]

test('a traceparent is parsed and formatted without a change, sampled or not', () => {
  for (const flags of ['00', '01']) {
    const text = `00-${traceId}-${spanId}-${flags}`
    const span = parseTraceParent(text)
    expect(span).toEqual({ traceId, spanId, isSampled: flags === '01' })
    expect(span && formatTraceParent(span)).toBe(text)
  }
})

test('a traceparent of a later version with more fields is read', () => {
  expect(parseTraceParent(`01-${traceId}-${spanId}-03-more`)).toMatchObject({ isSampled: true })
})

test.each([
  '',
  'x',
  `00-${traceId}-${spanId}`,
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}-01x`,
])('the text %j is no traceparent', text => {
  expect(parseTraceParent(text)).toBeUndefined()
})
