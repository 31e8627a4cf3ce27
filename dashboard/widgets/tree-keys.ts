/** The position of each row in a tree, and the action that shows or hides its children. */
export interface TreeState<Row> {
  readonly levelOf: (row: Row) => number
  /** Returns undefined for a row without children. */
  readonly isExpanded: (row: Row) => boolean | undefined
  readonly onToggle: (row: Row) => void
  /** Returns the index of the parent in `rows`, or -1. */
  readonly parentIndexOf: (row: Row) => number
}

/** Reports whether a key shows or hides the children of a row. */
export function isToggleKey<Row>(key: string, row: Row, tree?: TreeState<Row>): boolean {
  const isExpanded = tree?.isExpanded(row)
  return isExpanded !== undefined && key === (isExpanded ? 'ArrowLeft' : 'ArrowRight')
}

/**
 * Returns the index of the row of a tree to which an arrow key moves: the parent or the first
 * child. A row without a parent keeps the focus. Returns undefined for another key.
 */
export function findTreeTarget<Row>(
  key: string,
  { row, index }: { readonly row: Row | undefined; readonly index: number },
  tree: Pick<TreeState<Row>, 'isExpanded' | 'parentIndexOf'> | undefined,
): number | undefined {
  if (tree === undefined || row === undefined) return undefined
  const isExpanded = tree.isExpanded(row)
  if (key === 'ArrowRight') return isExpanded === true ? index + 1 : undefined
  if (key !== 'ArrowLeft' || isExpanded === true) return undefined
  const parentIndex = tree.parentIndexOf(row)
  return parentIndex < 0 ? index : parentIndex
}
