import { expect, test } from 'vitest'
import { flattenTree } from './flatten-tree.ts'
import { chooseNextSort, sortRows } from './sort-rows.ts'

test('rows are sorted by numbers and texts in both directions, and rows without a value are last', () => {
  const rows = [{ value: 'b10' }, { value: undefined }, { value: 'b9' }, { value: 'A' }]
  const valueOf = ({ value }: { value: string | undefined }) => value
  const sortValues = (direction: 'ascending' | 'descending') =>
    sortRows(rows, valueOf, direction).map(valueOf)
  expect(sortValues('ascending')).toEqual(['A', 'b9', 'b10', undefined])
  expect(sortValues('descending')).toEqual(['b10', 'b9', 'A', undefined])
  expect(sortRows([3, 20, 1], value => value, 'descending')).toEqual([20, 3, 1])
})

test('a header sorts ascending, then descending, then not, and another header begins anew', () => {
  const first = chooseNextSort(undefined, 'name')
  const second = chooseNextSort(first, 'name')
  expect(second).toEqual({ column: 'name', direction: 'descending' })
  expect(chooseNextSort(second, 'name')).toBeUndefined()
  expect(chooseNextSort(second, 'type')).toEqual({ column: 'type', direction: 'ascending' })
})

test('a tree lists parents before children, hides those of collapsed rows, and keeps orphans', () => {
  const rows = ['root', 'root/a', 'other', 'root/a/x', 'root/b', 'lost/y']
  const flatten = (collapsed: readonly string[]) =>
    flattenTree(rows, {
      keyOf: row => row,
      parentOf: row => (row.includes('/') ? row.slice(0, row.lastIndexOf('/')) : undefined),
      isCollapsed: row => collapsed.includes(row),
    }).map(({ row, level, isExpanded, parentIndex }) => [row, level, isExpanded, parentIndex])
  expect(flatten([])).toEqual([
    ['root', 1, true, -1],
    ['root/a', 2, true, 0],
    ['root/a/x', 3, undefined, 1],
    ['root/b', 2, undefined, 0],
    ['other', 1, undefined, -1],
    ['lost/y', 1, undefined, -1],
  ])
  expect(flatten(['root/a']).map(([row]) => row)).toEqual([
    ...['root', 'root/a', 'root/b', 'other', 'lost/y'],
  ])
})
