import { expect, test } from 'vitest'
import { createTimeQueue } from './time-queue.ts'

test('a queue returns its entries in order of time', () => {
  const queue = createTimeQueue()
  const times = Array.from({ length: 100 }, (_, index) => (index * 37) % 101)
  times.forEach((timeMs, value) => queue.add(timeMs, value))
  expect(queue.size()).toBe(100)
  const taken = Array.from({ length: 100 }, () => queue.takeFirst())
  expect(taken.map(entry => entry?.timeMs)).toEqual(times.toSorted((a, b) => a - b))
  expect(taken.every(entry => entry !== undefined && times[entry.value] === entry.timeMs)).toBe(
    true,
  )
  expect(queue.takeFirst()).toBeUndefined()
})
