import { expect, test } from 'vitest'
import { type CheckReport, failedChecksOf, formatReports } from './check-report.ts'
import { overlapMsOf } from './deployment-checks.ts'

const reports: readonly CheckReport[] = [
  { name: 'chain', result: 'passed', durationMs: 12_000, message: 'In order.' },
  { name: 'park', result: 'not-seen', durationMs: 125_000, message: 'No park.' },
  { name: 'webhook', result: 'failed', durationMs: 900, message: '[OUTBOUND_FAILED] status 404' },
  { name: 'alarm', result: 'skipped', durationMs: 0, message: 'Not checked: x.' },
]

test('only failed checks count as failures, not those with the result skipped or not-seen', () => {
  expect(failedChecksOf(reports)).toEqual(['webhook'])
})

test('the table has a row for each check', () => {
  expect(formatReports(reports)).toEqual([
    'CHECK    RESULT    TIME   DETAILS',
    'chain    passed    12s    In order.',
    'park     not-seen  2m05s  No park.',
    'webhook  failed    0.9s   [OUTBOUND_FAILED] status 404',
    'alarm    skipped   0.0s   Not checked: x.',
  ])
})

test('overlapMsOf is negative when one of two deployments waited for the other', () => {
  const first = { startMs: 0, endMs: 10 }
  expect(overlapMsOf([first, { startMs: 4, endMs: 30 }])).toBe(6)
  expect(overlapMsOf([first, { startMs: 12, endMs: 30 }])).toBe(-2)
})
