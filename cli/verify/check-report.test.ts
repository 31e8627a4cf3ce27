import { expect, test } from 'vitest'
import { createAlarmOutcome } from './alarm-check.ts'
import { type CheckReport, failedChecksOf, formatReports } from './check-report.ts'
import { commonMsOf } from './deployment-checks.ts'

const reports: readonly CheckReport[] = [
  { name: 'chain', result: 'passed', durationMs: 12_000, message: 'In order.' },
  { name: 'park', result: 'not-seen', durationMs: 125_000, message: 'No park.' },
  { name: 'webhook', result: 'failed', durationMs: 900, message: '[OUTBOUND_FAILED] status 404' },
  { name: 'alarm', durationMs: 0, ...createAlarmOutcome('site', 'eu-west-1') },
]

test('only failed checks count as failures, neither skipped nor unseen ones', () => {
  expect(failedChecksOf(reports)).toEqual(['webhook'])
})

test('the table has a row for each check, and the commands of skipped checks follow', () => {
  const lines = formatReports(reports)
  expect(lines.slice(0, 4)).toEqual([
    'CHECK    RESULT    TIME   SEEN',
    'chain    passed    12s    In order.',
    'park     not-seen  2m05s  No park.',
    'webhook  failed    0.9s   [OUTBOUND_FAILED] status 404',
  ])
  expect(lines.slice(5, 7)).toEqual(['', 'alarm, by hand:'])
  expect(lines[7]).toBe(
    '  aws cloudwatch set-alarm-state --alarm-name site-dead-chains --region eu-west-1 --state-value ALARM --state-reason "antichain platform verify"',
  )
  expect(lines[8]).toContain('describe-alarm-history --alarm-name site-dead-chains')
})

test('the common time of two deployments is negative when one waited for the other', () => {
  const first = { startMs: 0, endMs: 10 }
  expect(commonMsOf([first, { startMs: 4, endMs: 30 }])).toBe(6)
  expect(commonMsOf([first, { startMs: 12, endMs: 30 }])).toBe(-2)
})
