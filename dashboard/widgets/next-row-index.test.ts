import { expect, test } from 'vitest'
import { findNextRowIndex } from './next-row-index.ts'

test.each([
  ['ArrowDown', 5, 6],
  ['ArrowUp', 0, 0],
  ['PageDown', 95, 99],
  ['PageUp', 15, 5],
  ['Home', 50, 0],
  ['End', 0, 99],
  ['a', 5, undefined],
])('%s on row %i moves to row %s', (key, index, target) => {
  expect(findNextRowIndex(key, { index, count: 100, pageRows: 10 })).toBe(target)
})

test('no key moves to a row of an empty table', () => {
  expect(findNextRowIndex('End', { index: 0, count: 0, pageRows: 10 })).toBeUndefined()
})
