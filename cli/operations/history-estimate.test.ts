import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import type { DeploymentId, EpochMs, StackId } from '../../shared/records/ids.ts'
import { createHistoryEstimate } from './history-estimate.ts'

const stack = 'organization/shop/dev' as StackId
const entry: HistoryRecord = {
  deployment: 'organization/shop/dev/1' as DeploymentId,
  command: 'destroy',
  message: '',
  startedAt: 0 as EpochMs,
  endedAt: 80_000 as EpochMs,
  result: 'succeeded',
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Creates an estimate over a history that answers with `listHistory`. */
function createEstimate(listHistory: () => Promise<readonly HistoryRecord[]>) {
  const limits: number[] = []
  const catalog = {
    listHistory(_id: StackId, limit: number) {
      limits.push(limit)
      return listHistory()
    },
  }
  return { limits, ...createHistoryEstimate(catalog, stack, 'destroy') }
}

test('the history is read once, two seconds after the start of the deployment', async () => {
  const { limits, readExpectedMs, startEstimate } = createEstimate(async () => [
    ...[entry, entry, entry],
  ])
  startEstimate({})
  await vi.advanceTimersByTimeAsync(1_999)
  expect(limits).toEqual([])
  expect(readExpectedMs()).toBeUndefined()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(limits).toEqual([20])
  expect(readExpectedMs()).toBe(80_000)
})

test('a deployment that ends within two seconds reads no history', async () => {
  const { limits, startEstimate } = createEstimate(async () => [])
  startEstimate({})()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(limits).toEqual([])
})

test('a failed read leaves the duration unknown', async () => {
  const { limits, readExpectedMs, startEstimate } = createEstimate(async () => {
    throw new Error('the store is unavailable')
  })
  startEstimate({})
  await vi.advanceTimersByTimeAsync(2_000)
  expect(limits).toEqual([20])
  expect(readExpectedMs()).toBeUndefined()
})
