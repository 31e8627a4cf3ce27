import { expect, test } from 'vitest'
import { formatRanges } from './ranges.ts'

test('three or more consecutive numbers become one range', () => {
  expect(formatRanges([])).toBe('')
  expect(formatRanges([4])).toBe('4')
  expect(formatRanges([1, 2])).toBe('1, 2')
  expect(formatRanges([1, 2, 3, 5, 7, 8])).toBe('1-3, 5, 7, 8')
  expect(formatRanges(Array.from({ length: 2_000 }, (_, index) => index + 1))).toBe('1-2000')
})
