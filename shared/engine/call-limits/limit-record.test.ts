import { describe, expect, test } from 'vitest'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { CallLimit } from './call-limit.ts'
import {
  callIdOf,
  callTimeoutMs,
  createLimitRecord,
  currentRateOf,
  endCall,
  extendCalls,
  type LimitRecord,
  recordLateStart,
  requestCall,
} from './limit-record.ts'

const limit: CallLimit = { name: 'n', label: 'l', isShared: false, intervalMs: 1_000, burst: 1 }
const concurrencyLimit: CallLimit = { ...limit, intervalMs: 0, concurrency: 2 }

/** Creates a limit with a record in memory. `now` in its functions is the time of the call. */
function createTestLimit(testedLimit: CallLimit) {
  let record = createLimitRecord(testedLimit)
  let callCount = 0
  return {
    request(now: number, deployment = 'a', id = `${callCount++}`) {
      const call = { id, deployment: deployment as DeploymentId, now }
      const requested = requestCall(record, testedLimit, call)
      record = requested.record
      return requested.decision
    },
    end(
      now: number,
      id: string,
      result: 'throttled' | 'succeeded' | 'other',
      observedPerSecond = 0,
    ) {
      record = endCall(record, testedLimit, { id, now, result, observedPerSecond })
    },
    extend(now: number, ids: readonly string[]) {
      record = extendCalls(record, { ids: new Set(ids), now })
    },
    readRate: () => currentRateOf(record, testedLimit),
    readRecord: (): LimitRecord => record,
  }
}

/**
 * Requests starts for the deployments as often as the limit allows, until the time `end`. Returns
 * the granted start times of each deployment. The last ones may be later than `end`.
 */
function runDeployments(
  testedLimit: CallLimit,
  deployments: readonly string[],
  end: number,
): ReadonlyMap<string, readonly number[]> {
  const testLimit = createTestLimit(testedLimit)
  const starts = new Map(deployments.map(deployment => [deployment, [] as number[]]))
  const dueTimes = deployments.map(deployment => ({ deployment, at: 0 }))
  for (;;) {
    dueTimes.sort((a, b) => a.at - b.at)
    const [due] = dueTimes
    if (due === undefined || due.at >= end) return starts
    const decision = testLimit.request(due.at, due.deployment)
    if (decision.kind === 'granted') starts.get(due.deployment)?.push(decision.startAt)
    due.at = Math.max(due.at + 1, decision.kind === 'granted' ? decision.startAt : decision.retryAt)
  }
}

describe('a rate', () => {
  test('spreads the starts of calls', () => {
    const starts = runDeployments(limit, ['a'], 5_000).get('a')
    expect(starts).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000])
  })

  test('lets one burst start without an interval, and spreads later starts', () => {
    const starts = runDeployments({ ...limit, burst: 3 }, ['a'], 2_500).get('a') ?? []
    expect(starts.filter(time => time < 900)).toHaveLength(3)
    expect(starts.slice(3, 5)).toEqual([1_000, 2_000])
  })

  test('reserves the next start, but none after it', () => {
    const testLimit = createTestLimit({ ...limit, intervalMs: 30_000 })
    expect(testLimit.request(0)).toEqual({ kind: 'granted', startAt: 0 })
    expect(testLimit.request(0)).toEqual({ kind: 'granted', startAt: 30_000 })
    expect(testLimit.request(0)).toEqual({ kind: 'waiting', retryAt: 30_000 })
  })

  test('lets the next call start a whole interval after one that started late', () => {
    const record = createLimitRecord(limit)
    const call = { id: 'x', deployment: 'a' as DeploymentId, now: 0 }
    const granted = requestCall(record, limit, call).record
    const late = recordLateStart(granted, limit, 5_000)
    const next = requestCall(late, limit, { ...call, id: 'y', now: 5_001 })
    expect(next.decision).toEqual({ kind: 'granted', startAt: 6_000 })
    // A later start is reserved already, and a limit without a rate has no intervals.
    expect(recordLateStart(late, limit, 4_000)).toBe(late)
    expect(recordLateStart(record, concurrencyLimit, 5_000)).toBe(record)
  })

  test('is shared equally by deployments that call all the time', () => {
    const starts = runDeployments({ ...limit, intervalMs: 100 }, ['a', 'b', 'c'], 30_000)
    const counts = [...starts.values()].map(({ length }) => length)
    expect(Math.min(...counts)).toBeGreaterThan(90)
    expect(Math.max(...counts)).toBeLessThan(112)
  })

  test('is not stopped by another stack whose rule for the same limit is slower', () => {
    const slow = { ...limit, intervalMs: 3_600_000 }
    let record = createLimitRecord(slow)
    for (const id of ['x', 'y'])
      record = requestCall(record, slow, { id, deployment: 'a' as DeploymentId, now: 0 }).record
    const call = { id: 'z', deployment: 'b' as DeploymentId, now: 1 }
    expect(requestCall(record, limit, call).decision).toEqual({ kind: 'granted', startAt: 1 })
  })

  test('belongs to one deployment again when the others are gone', () => {
    const testLimit = createTestLimit(limit)
    testLimit.request(0, 'a')
    testLimit.request(0, 'b')
    expect(testLimit.request(20_000, 'a')).toEqual({ kind: 'granted', startAt: 20_000 })
    expect(testLimit.request(21_000, 'a')).toEqual({ kind: 'granted', startAt: 21_000 })
  })
})

describe('a limit of concurrent calls', () => {
  test('gives the place of a call to another one when the call ends', () => {
    const testLimit = createTestLimit(concurrencyLimit)
    expect(testLimit.request(0, 'a', 'x').kind).toBe('granted')
    expect(testLimit.request(0, 'a', 'y').kind).toBe('granted')
    expect(testLimit.request(0, 'a', 'z').kind).toBe('waiting')
    testLimit.end(1, 'x', 'succeeded')
    expect(testLimit.request(2, 'a', 'z').kind).toBe('granted')
  })

  test('gives a call one place, even if its request is repeated', () => {
    const testLimit = createTestLimit(concurrencyLimit)
    testLimit.request(0, 'a', 'x')
    testLimit.request(0, 'a', 'x')
    expect(testLimit.request(0, 'a', 'y').kind).toBe('granted')
  })

  test('frees the place of a dead process, and keeps that of a living one', () => {
    const testLimit = createTestLimit(concurrencyLimit)
    testLimit.request(0, 'a', 'x')
    testLimit.request(0, 'a', 'y')
    testLimit.extend(callTimeoutMs - 1, ['y'])
    expect(testLimit.request(callTimeoutMs + 1, 'a', 'z').kind).toBe('granted')
    expect(Object.keys(testLimit.readRecord().calls)).toEqual(['y', 'z'])
  })

  test('keeps a place for each of two deployments', () => {
    const [a, b] = ['a', 'b'] as DeploymentId[]
    const idOf = (deployment: DeploymentId | undefined, number: number): string =>
      callIdOf(deployment ?? ('' as DeploymentId), number as OperationId)
    const testLimit = createTestLimit(concurrencyLimit)
    testLimit.request(0, 'b', idOf(b, 1))
    expect(testLimit.request(0, 'a', idOf(a, 1)).kind).toBe('granted')
    testLimit.end(1, idOf(b, 1), 'succeeded')
    expect(testLimit.request(2, 'a', idOf(a, 2)).kind).toBe('waiting')
    expect(testLimit.request(2, 'b', idOf(b, 2)).kind).toBe('granted')
  })
})

describe('throttling', () => {
  const adaptiveLimit: CallLimit = { ...limit, intervalMs: 0 }

  test('halves the rate, but only once for the calls of one burst', () => {
    const testLimit = createTestLimit(adaptiveLimit)
    testLimit.end(0, 'x', 'throttled', 40)
    testLimit.end(10, 'y', 'throttled', 40)
    expect(testLimit.readRate()).toBe(20)
    testLimit.end(1_500, 'z', 'throttled', 40)
    expect(testLimit.readRate()).toBe(10)
  })

  test('lowers the rate, which each second with a success raises by a fixed amount until there is no limit', () => {
    const testLimit = createTestLimit(adaptiveLimit)
    testLimit.end(0, 'x', 'throttled', 4)
    testLimit.end(500, 'y', 'succeeded')
    expect(testLimit.readRate()).toBe(2)
    testLimit.end(1_000, 'y', 'succeeded')
    testLimit.end(1_900, 'y', 'succeeded')
    expect(testLimit.readRate()).toBe(2.5)
    testLimit.end(2_000, 'y', 'succeeded')
    expect(testLimit.readRate()).toBe(3)
    for (let second = 3; second < 210; second += 1) testLimit.end(second * 1_000, 'y', 'succeeded')
    expect(testLimit.readRate()).toBeUndefined()
  })

  test('raises the rate by the same amount after an idle time', () => {
    const testLimit = createTestLimit(adaptiveLimit)
    testLimit.end(0, 'x', 'throttled', 4)
    testLimit.end(60_000, 'y', 'succeeded')
    testLimit.end(60_001, 'y', 'succeeded')
    expect(testLimit.readRate()).toBe(2.5)
  })

  test('leaves a rate of at least one call a minute, and at most that of the rule', () => {
    const testLimit = createTestLimit(limit)
    for (let count = 0; count < 20; count += 1) testLimit.end(count * 2_000, 'x', 'throttled', 9)
    expect(testLimit.readRate()).toBeCloseTo(1 / 60)
    for (let second = 40; second < 100; second += 1) testLimit.end(second * 1_000, 'x', 'succeeded')
    expect(testLimit.readRate()).toBe(1)
  })

  test('lowers the rate without a new burst', () => {
    const burstLimit: CallLimit = { ...limit, intervalMs: 100, burst: 50 }
    const testLimit = createTestLimit(burstLimit)
    for (let count = 0; count < 50; count += 1)
      expect(testLimit.request(0)).toEqual({ kind: 'granted', startAt: 0 })
    testLimit.end(0, 'x', 'throttled')
    const decisions = Array.from({ length: 60 }, () => testLimit.request(1))
    expect(decisions.filter(({ kind }) => kind === 'granted').length).toBeLessThan(7)
  })

  test('is not assumed when a call fails for another reason', () => {
    const testLimit = createTestLimit(adaptiveLimit)
    const before = testLimit.readRecord()
    testLimit.end(0, 'x', 'other')
    expect(testLimit.readRecord()).toBe(before)
  })
})
