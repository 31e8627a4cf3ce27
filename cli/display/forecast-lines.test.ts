import { describe, expect, test } from 'vitest'
import type { Urn } from '../../shared/names/urn.ts'
import type { Forecast } from '../../shared/records/forecast.ts'
import { thingUrnOf } from './display.fixture.ts'
import { formatForecast } from './forecast-lines.ts'
import { createPaint } from './paint.ts'

const urnOf = (name: string): Urn => thingUrnOf(name) as Urn

const forecast: Forecast = {
  parallel: 8,
  steps: 4,
  waves: [1, 2, 1],
  waveCount: 3,
  width: 2,
  criticalPath: {
    ms: 65_000,
    stepCount: 2,
    steps: [
      { op: 'create', urn: urnOf('network'), ms: 5_000, source: 'resource' },
      { op: 'create', urn: urnOf('database'), ms: 60_000, source: 'type' },
    ],
  },
  workMs: 70_000,
  wallMs: 65_000,
  estimates: { resource: 3, type: 1 },
  kept: [],
  keptCount: 0,
}

const format = (fields: Partial<Forecast>): readonly string[] =>
  formatForecast({ ...forecast, ...fields }, createPaint(false))

describe('forecast', () => {
  test('has the waves, the expected time and the critical path', () => {
    expect(format({})).toEqual([
      'Forecast:',
      '    4 steps in 3 waves (1, 2, 1), 2 in the largest',
      '    about 1m05s with --parallel 8; the critical path takes 1m05s:',
      '        create pkg:index:Thing network 5.0s',
      '        create pkg:index:Thing database 1m00s',
    ])
  })

  test('adds the time that earlier deployments spent outside of calls', () => {
    expect(format({ overheadMs: 2_000 })[2]).toBe(
      '    about 1m07s with --parallel 8 (calls 1m05s, other work 2.0s); the critical path takes 1m05s:',
    )
  })

  test('marks unknown durations, and says how many there are', () => {
    const step = { op: 'create', urn: urnOf('a'), ms: 1_000, source: 'default' } as const
    const criticalPath = { ms: 1_000, stepCount: 1, steps: [step] }
    expect(format({ criticalPath, estimates: { default: 3, type: 1 } }).slice(3)).toEqual([
      '        create pkg:index:Thing a 1.0s (unknown)',
      '    the duration of 3 of 4 calls is unknown, and counted as 1.0s each',
    ])
  })

  test('lists at most five steps and eight widths', () => {
    const step = { op: 'delete', urn: urnOf('a'), ms: 1_000, source: 'resource' } as const
    const criticalPath = { ms: 9_000, stepCount: 9, steps: Array.from({ length: 9 }, () => step) }
    const lines = format({ criticalPath, waves: Array.from({ length: 9 }, () => 1), waveCount: 9 })
    expect(lines[1]).toBe('    4 steps in 9 waves (1, 1, 1, 1, 1, 1, 1, 1, …), 2 in the largest')
    expect(lines.slice(3)).toHaveLength(6)
    expect(lines.at(-1)).toBe('        … 4 more')
  })

  test('names kept resources and the others that stay because of them, also without steps', () => {
    const keeps = ['a', 'b', 'c', 'd'].map(urnOf)
    const kept = [
      { urn: urnOf('db'), reason: 'protected', keepsCount: 4, keeps },
      { urn: urnOf('disk'), reason: 'retained', keepsCount: 0, keeps: [] },
    ] as const
    expect(format({ steps: 0, waves: [], waveCount: 0, kept, keptCount: 3 })).toEqual([
      'Forecast:',
      '    db is protected: it stays, and with it 4 others: a, b, c, …',
      '    disk is retained: it stays',
      '    … 1 more are protected or retained',
    ])
  })

  test('is empty for a single step, and shows no time without calls', () => {
    expect(format({ steps: 1 })).toEqual([])
    expect(formatForecast(undefined, createPaint(false))).toEqual([])
    expect(format({ workMs: 0 })).toHaveLength(2)
  })

  test('prints no control characters of names', () => {
    const step = { op: 'create', urn: urnOf('a\u001b[2J'), ms: 1, source: 'type' } as const
    const lines = format({ criticalPath: { ms: 1, stepCount: 1, steps: [step] } })
    expect(lines.join('')).not.toContain('\u001b')
  })
})
