import { describe, expect, test } from 'vitest'
import { createForecastState, createForecastStep, forecastUrnOf } from './forecast.fixture.ts'
import {
  type DurationSample,
  estimateDuration,
  measureUncoveredMs,
  summarizeDurations,
} from './step-durations.ts'

const sampleOf = (name: string, durationMs: number, type = 'a:b:C'): DurationSample => ({
  call: 'create',
  urn: forecastUrnOf(name),
  type,
  durationMs,
})
const createOf = (name: string, type = 'a:b:C') =>
  createForecastStep(createForecastState(name, [], { type }))

const noHistory = { samples: [], slowOperations: new Map<string, number>(), overheadsMs: [] }

describe('expected duration of a step', () => {
  const samples = [
    ...[10, 30, 20].map(ms => sampleOf('x', ms)),
    ...[sampleOf('y', 100), sampleOf('z', 7, 'a:b:D')],
  ]
  const durations = summarizeDurations({
    samples,
    slowOperations: new Map([['create a:b:Slow', 60_000]]),
    overheadsMs: [],
  })

  test('is the median of the resource, then of its type, then of its package', () => {
    expect(estimateDuration(createOf('x'), durations)).toEqual({ ms: 20, source: 'resource' })
    expect(estimateDuration(createOf('new'), durations)).toEqual({ ms: 25, source: 'type' })
    expect(estimateDuration(createOf('new', 'a:b:E'), durations)).toEqual({
      ms: 20,
      source: 'package',
    })
  })

  test('is that of the last slow operation for a type without samples', () => {
    const estimate = estimateDuration(createOf('new', 'a:b:Slow'), durations)
    expect(estimate).toEqual({ ms: 60_000, source: 'type' })
  })

  test('is that of the documentation, or the default', () => {
    const database = createOf('new', 'aws:rds/instance:Instance')
    expect(estimateDuration(database, durations)).toEqual({
      ms: 20 * 60_000,
      source: 'documentation',
    })
    const other = createOf('new', 'c:d:E')
    expect(estimateDuration(other, durations)).toEqual({ ms: 1_000, source: 'default' })
  })

  test('is never that of another kind of call, and is at least 1 ms', () => {
    const update = { ...createOf('x'), op: 'update' as const }
    expect(estimateDuration(update, durations)).toMatchObject({ source: 'default' })
    const immediate = summarizeDurations({ ...noHistory, samples: [sampleOf('x', 0)] })
    expect(estimateDuration(createOf('x'), immediate)).toEqual({ ms: 1, source: 'resource' })
  })

  test('is undefined without a provider call', () => {
    expect(estimateDuration({ ...createOf('x'), skipCall: true }, durations)).toBeUndefined()
    expect(estimateDuration({ ...createOf('x'), op: 'same' }, durations)).toBeUndefined()
  })
})

describe('time without calls', () => {
  test('is the median of earlier deployments', () => {
    expect(summarizeDurations({ ...noHistory, overheadsMs: [5, 1, 9] }).overheadMs).toBe(5)
    expect(summarizeDurations(noHistory).overheadMs).toBeUndefined()
  })

  test('is the part of a period that no call covers', () => {
    expect(measureUncoveredMs([0, 100], [])).toBe(100)
    const calls = [
      [60, 70],
      [10, 40],
      [20, 30],
      [35, 50],
      [90, 120],
    ] as const
    expect(measureUncoveredMs([0, 100], calls)).toBe(10 + 10 + 20)
    expect(measureUncoveredMs([0, 100], [[-5, 200]])).toBe(0)
    expect(measureUncoveredMs([0, 100], [[150, 200]])).toBe(100)
  })
})
