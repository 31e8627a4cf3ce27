import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EpochMs, StackId } from '../../records/ids.ts'
import { scheduleDocument } from './due-schedule.ts'
import { schedulerExpressionOf } from './scheduler-expression.ts'
import { findDueRun, findDueWindow, selectsStack } from './shared-schedule.ts'

const hourMs = 3_600_000
const base = Date.parse('2026-11-28T02:00:00Z')
const schedule = scheduleDocument.parse({
  when: '0 2 * * *',
  operation: { kind: 'refresh' },
  jitterMs: hourMs,
  stacks: {},
  createdAt: base - 2 * hourMs,
})
const stackOf = (index: number): StackId => `organization/shop/s${index}` as StackId
const stacks = Array.from({ length: 200 }, (_, index) => stackOf(index))
const namedSchedule = { schedule, name: 'nightly' }
const countDue = (ms: number): number =>
  stacks.filter(stack => findDueRun(namedSchedule, stack, (base + ms) as EpochMs) !== undefined)
    .length

describe('the runs of a shared schedule', () => {
  test('are spread over its jitter, with one constant delay for each stack', () => {
    expect(countDue(0)).toBeLessThan(5)
    expect(countDue(hourMs / 2)).toBeGreaterThan(70)
    expect(countDue(hourMs / 2)).toBeLessThan(130)
    expect(countDue(hourMs)).toBe(200)
    const plannedAt = findDueRun(namedSchedule, stackOf(1), (base + hourMs) as EpochMs)
    expect(plannedAt).toBe(base)
  })

  test('take place once for each stack, at whatever times the checks run', () => {
    const steps = fc.array(fc.integer({ min: 1_000, max: 40 * 60_000 }), { minLength: 1 })
    fc.assert(
      fc.property(steps, intervals => {
        const runs = new Map<StackId, number>()
        let [now, lastAt] = [base - 1000, schedule.createdAt]
        for (const interval of [...intervals, 2 * hourMs]) {
          now += interval
          const current = { schedule: { ...schedule, lastAt }, name: 'nightly' }
          const window = findDueWindow(current, now as EpochMs)
          if (window === undefined) continue
          for (const stack of stacks.slice(0, 20))
            if (findDueRun(current, stack, now as EpochMs) === base)
              runs.set(stack, (runs.get(stack) ?? 0) + 1)
          lastAt = now as EpochMs
        }
        // A day has one run, unless the checks continue on the next day.
        if (now < base + 24 * hourMs) expect([...runs.values()]).toEqual(Array(20).fill(1))
      }),
      { numRuns: 50 },
    )
  })

  test('need no list of stacks before the first run and after the last run', () => {
    const find = (lastAt: number, now: number) =>
      findDueWindow(
        { ...namedSchedule, schedule: { ...schedule, lastAt: lastAt as EpochMs } },
        now as EpochMs,
      )
    expect(find(base - hourMs, base - 1)).toBeUndefined()
    expect(find(base - hourMs, base + 1)).toEqual({ plannedAt: base, hasEnded: false })
    expect(find(base - hourMs, base + hourMs)).toEqual({ plannedAt: base, hasEnded: true })
    expect(find(base + hourMs, base + 2 * hourMs)).toBeUndefined()
  })

  test('are called for every few minutes by EventBridge Scheduler', () => {
    const expressionOf = (jitterMs: number) =>
      schedulerExpressionOf({ ...schedule, jitterMs }, base as EpochMs).expression
    expect([expressionOf(hourMs), expressionOf(0)]).toEqual([
      'rate(5 minutes)',
      'cron(0 2 * * ? *)',
    ])
  })
})

test.each([
  [{}, true],
  [{ projects: ['shop'] }, true],
  [{ projects: ['other', 'shop'] }, true],
  [{ projects: ['sho'] }, false],
  [{ tags: { team: 'web' } }, true],
  [{ tags: { team: 'web', tier: 'one' } }, false],
  [{ projects: ['other'], tags: { team: 'web' } }, false],
])('the selection %j covers a stack of the project shop with a tag: %s', (selection, covers) => {
  expect(selectsStack(selection, stackOf(1), { team: 'web' })).toBe(covers)
})
