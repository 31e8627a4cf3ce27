import { expect, test } from 'vitest'
import { costPollIntervalMsOf } from './cost-poll.ts'

test('the cost of a deployment is read every 30 s until 5 minutes after its end, and only once later', () => {
  const endedAt = 1_000_000
  expect(costPollIntervalMsOf(undefined, endedAt)).toBe(30_000)
  expect(costPollIntervalMsOf(endedAt, endedAt)).toBe(30_000)
  expect(costPollIntervalMsOf(endedAt, endedAt + 299_999)).toBe(30_000)
  expect(costPollIntervalMsOf(endedAt, endedAt + 300_000)).toBe(0)
})
