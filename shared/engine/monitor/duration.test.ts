import { expect, test } from 'vitest'
import { parseDuration, formatDuration } from './duration.ts'

test.each([
  ['', 0],
  ['0', 0],
  ['30s', 30],
  ['1h30m', 5400],
  ['1.5s', 1.5],
  ['.5h', 1800],
  ['250ms', 0.25],
  ['2m10us', 120.00001],
])('%j is a duration of %d seconds', (text, seconds) => {
  expect(parseDuration(text)).toBeCloseTo(seconds, 9)
})

test.each(['5', '1d', '1h x', ' 1h', '-', 's', '1h30'])('%j is not a duration', text => {
  expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: 'RESOURCE_INVALID' }))
})

test.each([
  [0, ''],
  [1.5, '1.5s'],
  [60, '1m0s'],
  [300, '5m0s'],
  [5400, '1h30m0s'],
  [0.02, '20ms'],
  [0.1 + 0.2, '300ms'],
])('%d s is formatted as %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
  expect(parseDuration(text)).toBeCloseTo(seconds)
})
