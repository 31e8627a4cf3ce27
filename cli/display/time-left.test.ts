import { expect, test } from 'vitest'
import type { Forecast } from '../../shared/records/forecast.ts'
import { expectedMsOf, formatTimeLeft } from './time-left.ts'

const createForecast = (fields: Partial<Forecast>): Forecast => ({
  parallel: 16,
  steps: 2,
  waves: [2],
  waveCount: 1,
  width: 2,
  criticalPath: { ms: 1, stepCount: 0, steps: [] },
  workMs: 1,
  wallMs: 1,
  estimates: { resource: 2 },
  kept: [],
  keptCount: 0,
  ...fields,
})

test('only a long deployment with known calls has an expected duration', () => {
  const long = createForecast({ wallMs: 200_000, overheadMs: 10_000 })
  expect(expectedMsOf(long)).toBe(210_000)
  expect(expectedMsOf({ ...long, estimates: { default: 2, type: 1 } })).toBeUndefined()
  expect(expectedMsOf({ ...long, estimates: { default: 1, type: 1 } })).toBe(210_000)
  expect(expectedMsOf(createForecast({ wallMs: 29_000 }))).toBeUndefined()
  expect(expectedMsOf(undefined)).toBeUndefined()
})

test('the time left is rounded up, and a late deployment is called longer than expected', () => {
  expect(formatTimeLeft(210_000, 5000)).toBe(', about 3m30s left')
  expect(formatTimeLeft(60_000, 1000)).toBe(', about 1m00s left')
  expect(formatTimeLeft(60_000, 57_500)).toBe(', about 5.0s left')
  expect(formatTimeLeft(60_000, 60_000)).toBe(', longer than the expected 1m00s')
  expect(formatTimeLeft(undefined, 1)).toBe('')
})
