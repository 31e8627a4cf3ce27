import { expect, test } from 'vitest'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import type { Forecast } from '../../shared/records/forecast.ts'
import type { DeploymentId, EpochMs } from '../../shared/records/ids.ts'
import { expectedMsOf, expectedMsOfHistory, formatTimeLeft } from './time-left.ts'

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

const createRecord = (fields: Partial<HistoryRecord>): HistoryRecord => ({
  deployment: 'organization/shop/dev/1' as DeploymentId,
  command: 'up',
  message: '',
  startedAt: 1_000_000 as EpochMs,
  ...fields,
})
const running = createRecord({})

/** Returns the entry of a successful deployment with this duration. */
function createEnded(durationMs: number, fields: Partial<HistoryRecord> = {}): HistoryRecord {
  const times = { startedAt: 1000 as EpochMs, endedAt: (1000 + durationMs) as EpochMs }
  return createRecord({ ...times, result: 'succeeded', ...fields })
}

test('the history shows an expected duration if most deployments of the command took similar times', () => {
  const estimate = (...entries: readonly HistoryRecord[]) =>
    expectedMsOfHistory([running, ...entries], { command: 'up' })
  const ended = [60_000, 70_000, 66_000].map(ms => createEnded(ms))
  expect(estimate(...ended)).toBe(66_000)
  expect(estimate(createEnded(1000), ...ended)).toBe(63_000)
  expect(estimate(...ended.slice(1))).toBeUndefined()
  expect(estimate(...ended.slice(1), createEnded(66_000, { result: 'failed' }))).toBeUndefined()
  expect(estimate(...ended.slice(1), createEnded(66_000, { command: 'destroy' }))).toBeUndefined()
  expect(estimate(...[600_000, 60_000, 6_000_000].map(ms => createEnded(ms)))).toBeUndefined()
  expect(estimate(...[29_000, 29_000, 29_000].map(ms => createEnded(ms)))).toBeUndefined()
})

test('only the five newest deployments of the command count', () => {
  const durationsMs = [...Array<number>(5).fill(90_000), ...Array<number>(6).fill(900_000)]
  const history = [running, ...durationsMs.map(ms => createEnded(ms))]
  expect(expectedMsOfHistory(history, { command: 'up' })).toBe(90_000)
})

test('a resumed deployment is expected to take the time that is left after the end of its last operation', () => {
  const history = [running, ...[90_000, 90_000, 90_000].map(ms => createEnded(ms))]
  const estimate = (passedMs: number) =>
    expectedMsOfHistory(history, {
      command: 'up',
      lastEndAt: (running.startedAt + passedMs) as EpochMs,
    })
  expect(estimate(40_000)).toBe(50_000)
  expect(estimate(70_000)).toBeUndefined()
  expect(estimate(200_000)).toBeUndefined()
})

test('the time left is rounded up, and a late deployment is called longer than expected', () => {
  expect(formatTimeLeft(210_000, 5000)).toBe(', about 3m30s left')
  expect(formatTimeLeft(60_000, 1000)).toBe(', about 1m00s left')
  expect(formatTimeLeft(60_000, 57_500)).toBe(', about 5.0s left')
  expect(formatTimeLeft(60_000, 60_000)).toBe(', longer than the expected 1m00s')
  expect(formatTimeLeft(undefined, 1)).toBe('')
})
