import { expect, test } from 'vitest'
import { rangesOf } from './ranges.ts'

test('numbers in a row are a range, however many they are', () => {
  expect(rangesOf([])).toBe('')
  expect(rangesOf([4])).toBe('4')
  expect(rangesOf([1, 2])).toBe('1, 2')
  expect(rangesOf([1, 2, 3, 5, 7, 8])).toBe('1-3, 5, 7, 8')
  expect(rangesOf(Array.from({ length: 2_000 }, (_, at) => at + 1))).toBe('1-2000')
})
