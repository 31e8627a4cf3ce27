import { expect, test } from 'vitest'
import { findTreeTarget } from './tree-keys.ts'

// The tree: row 1 with the children 2 and 3, and row 4. Each row is its own index.
const tree = {
  isExpanded: (row: number) => (row === 1 ? true : undefined),
  parentIndexOf: (row: number) => (row === 2 || row === 3 ? 1 : -1),
}

// A row without a parent keeps the focus, and does not give it to the first row of the table.
test.each([
  ['ArrowLeft', 3, 1],
  ['ArrowLeft', 4, 4],
  ['ArrowLeft', 1, undefined],
  ['ArrowRight', 1, 2],
  ['ArrowRight', 4, undefined],
  ['Enter', 4, undefined],
])('%s on row %i of a tree moves to row %s', (key, index, target) => {
  expect(findTreeTarget(key, { row: index, index }, tree)).toBe(target)
})
