import { expect, test } from 'vitest'
import { findBlockedDeletes } from './blocked-deletes.ts'

test('what stays holds back all that can go only after it, through groups too', () => {
  const edges = {
    releases: new Map([
      [4, { states: [3], groups: ['g'] }],
      [3, { states: [0], groups: [] }],
      [5, { states: [0], groups: ['g'] }],
    ]),
    groups: new Map([['g', [1, 2]]]),
  }
  expect([...findBlockedDeletes([4], edges)].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4])
  expect([...findBlockedDeletes([5], edges)].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 5])
  expect([...findBlockedDeletes([], edges)]).toEqual([])
})
