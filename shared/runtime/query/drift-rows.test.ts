import { expect, test } from 'vitest'
import type { StackId } from '../../records/ids.ts'
import { listRecentRuns } from './drift-rows.ts'

const key = {
  kind: 'schedule',
  scope: 'organization/shop/dev' as StackId,
  name: 'nightly',
} as const
const schedule = { when: '0 4 * * *', operation: { kind: 'refresh' }, createdAt: 0 }

test('listRecentRuns returns the runs that a schedule records, and none for an unreadable schedule', () => {
  const listRuns = (value: unknown) => listRecentRuns({ key, version: 1, value })
  expect(listRuns({ ...schedule, recentRuns: [60_000, 120_000] })).toEqual([60_000, 120_000])
  expect(listRuns(schedule)).toEqual([])
  expect(listRuns({ ...schedule, recentRuns: 'all' })).toEqual([])
})
