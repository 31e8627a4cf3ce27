import { expect, test } from 'vitest'
import { medianOfNumbers } from './median.ts'

test('medianOfNumbers sorts by value, keeps its input, and takes the larger of two middle values', () => {
  const numbers = [10, 9, 100]
  expect([medianOfNumbers(numbers), numbers]).toEqual([10, [10, 9, 100]])
  expect([medianOfNumbers([4, 1, 3, 2]), medianOfNumbers([7]), medianOfNumbers([])]).toEqual([
    3, 7, 0,
  ])
})
