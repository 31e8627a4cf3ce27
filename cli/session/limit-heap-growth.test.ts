import { setFlagsFromString } from 'node:v8'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { limitHeapGrowth } from './limit-heap-growth.ts'

vi.mock('node:v8', () => ({ setFlagsFromString: vi.fn() }))
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the heap is limited after the time in which a command loads its modules', async () => {
  limitHeapGrowth()
  await vi.advanceTimersByTimeAsync(999)
  expect(setFlagsFromString).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  await vi.waitFor(() => expect(setFlagsFromString).toHaveBeenCalled())
  expect(setFlagsFromString).toHaveBeenCalledExactlyOnceWith('--heap-growing-percent=60')
})
