/** The position of the active row of a table. */
interface RowPosition {
  readonly index: number
  /** The number of all rows. */
  readonly count: number
  /** The number of rows that the table shows at the same time. */
  readonly pageRows: number
}

/**
 * Returns the index of the row to which a key moves, or undefined for a key that moves to no row.
 * Pure.
 */
export function findNextRowIndex(
  key: string,
  { index, count, pageRows }: RowPosition,
): number | undefined {
  const targets: ReadonlyMap<string, number> = new Map([
    ['ArrowDown', index + 1],
    ['ArrowUp', index - 1],
    ['PageDown', index + Math.max(1, pageRows)],
    ['PageUp', index - Math.max(1, pageRows)],
    ['Home', 0],
    ['End', count - 1],
  ])
  const target = targets.get(key)
  return target === undefined || count === 0 ? undefined : Math.min(Math.max(0, target), count - 1)
}
