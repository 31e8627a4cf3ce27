import { expect, test } from 'vitest'
import { findBlockedDeletes } from './blocked-deletes.ts'

test('a state that is not deleted blocks every delete that must follow its own delete, also through groups', () => {
  const edges = {
    releases: new Map([
      [4, { states: [3], groups: ['g'] }],
      [3, { states: [0], groups: [] }],
      [5, { states: [0], groups: ['g'] }],
    ]),
    groups: new Map([
      ['g', { states: [2], groups: ['smaller'] }],
      ['smaller', { states: [1], groups: [] }],
    ]),
  }
  expect([...findBlockedDeletes([4], edges)].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4])
  expect([...findBlockedDeletes([5], edges)].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 5])
  expect([...findBlockedDeletes([], edges)]).toEqual([])
})
