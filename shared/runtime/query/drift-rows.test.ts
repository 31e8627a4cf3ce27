import { expect, test } from 'vitest'
import type { EpochMs, StackId } from '../../records/ids.ts'
import { findDriftTimes } from './drift-rows.ts'

const stack = 'organization/shop/dev' as StackId

function findTimes(when: string, lastAt: string): readonly string[] {
  const value = {
    ...{ when, operation: { kind: 'refresh' }, createdAt: 0 },
    lastAt: Date.parse(lastAt) as EpochMs,
  }
  const key = { kind: 'schedule', scope: stack, name: 'nightly' } as const
  const times = findDriftTimes({ key, version: 1, value })
  return times.map(time => new Date(time).toISOString())
}

test.each([
  ['0 4 * * *', '2026-05-20T04:00:00Z', '2026-05-01T04:00:00.000Z'],
  // Twenty intervals before the last run, the window has many more runs than twenty.
  ['* 9 * * *', '2026-05-20T09:59:00Z', '2026-05-20T09:40:00.000Z'],
  ['0 9 * * MON-FRI', '2026-05-22T09:00:00Z', '2026-04-27T09:00:00.000Z'],
  ['rate(5 minutes)', '2026-05-20T01:40:00Z', '2026-05-20T00:05:00.000Z'],
])('the newest 20 runs of %s at %s begin at %s', (when, lastAt, first) => {
  const times = findTimes(when, lastAt)
  expect([times.length, times[0], times.at(-1)]).toEqual([
    20,
    first,
    new Date(lastAt).toISOString(),
  ])
})

test('a schedule with one run has one, and one that cannot be read has none', () => {
  expect(findTimes('at(2026-05-20T04:00:00)', '2026-05-20T04:00:00Z')).toHaveLength(1)
  expect(findTimes('never', '2026-05-20T04:00:00Z')).toEqual([])
})
