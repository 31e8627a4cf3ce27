/** The value by which a column sorts. Rows without a value come last. */
export type SortValue = string | number | undefined

/** The column by which a table is sorted, and the direction. */
export interface TableSort {
  readonly column: string
  readonly direction: 'ascending' | 'descending'
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Returns rows sorted by the value of a column. Rows of equal value keep their order. Pure. */
export function sortRows<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => SortValue,
  direction: TableSort['direction'],
): readonly Row[] {
  const sign = direction === 'ascending' ? 1 : -1
  const rowsWithValues = rows.map(row => ({ row, value: valueOf(row) }))
  return rowsWithValues
    .toSorted((a, b) => compareValues(a.value, b.value, sign))
    .map(({ row }) => row)
}

/**
 * Returns the sort after a press on the header of a column: ascending, then descending, then the
 * order of the rows themselves. Pure.
 */
export function chooseNextSort(
  current: TableSort | undefined,
  column: string,
): TableSort | undefined {
  if (current?.column !== column) return { column, direction: 'ascending' }
  return current.direction === 'ascending' ? { column, direction: 'descending' } : undefined
}

function compareValues(a: SortValue, b: SortValue, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b)
  return sign * collator.compare(String(a), String(b))
}
