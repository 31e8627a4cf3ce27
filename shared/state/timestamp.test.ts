import { expect, test } from 'vitest'
import { timestampOf } from './timestamp.ts'

test.each([
  ['2026-11-21T06:13:46.640Z', '2026-11-21T06:13:46.64Z'],
  ['2026-11-21T06:13:50.000Z', '2026-11-21T06:13:50Z'],
  ['2026-11-21T06:13:50.001Z', '2026-11-21T06:13:50.001Z'],
])('%s is written as %s, without trailing zeros', (long, short) => {
  expect(timestampOf(Date.parse(long))).toBe(short)
})
