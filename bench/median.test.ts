import { expect, test } from 'vitest'
import { medianOf } from './median.ts'

test('medianOf sorts by value, keeps its input, and takes the larger middle of an even count', () => {
  const numbers = [10, 9, 100]
  expect([medianOf(numbers), numbers]).toEqual([10, [10, 9, 100]])
  expect([medianOf([4, 1, 3, 2]), medianOf([7]), medianOf([])]).toEqual([3, 7, 0])
})
