/** A row of a tree, with its position in the tree. */
export interface TreeRow<Row> {
  readonly row: Row
  /** The distance from the root, which has level 1. */
  readonly level: number
  /** Whether the children of the row are shown. Undefined for a row without children. */
  readonly isExpanded: boolean | undefined
  /** The index of the parent in the list, or -1 for a root. */
  readonly parentIndex: number
}

/**
 * Returns those rows of a tree whose ancestors are all expanded, parents before their children.
 * Rows whose parent is missing are roots. `rows`: in the order of siblings. Linear. Pure.
 */
export function flattenTree<Row>(
  rows: readonly Row[],
  options: {
    readonly keyOf: (row: Row) => string
    /** Returns the key of the parent. If several rows have this key, the last one is the parent. */
    readonly parentOf: (row: Row) => string | undefined
    readonly isCollapsed: (row: Row) => boolean
  },
): readonly TreeRow<Row>[] {
  const { keyOf, parentOf, isCollapsed } = options
  const rowsByKey = new Map(rows.map(row => [keyOf(row), row]))
  const children = Map.groupBy(rows, row => {
    const parent = parentOf(row)
    return parent === undefined ? undefined : rowsByKey.get(parent)
  })
  const treeRows: TreeRow<Row>[] = []
  const pendingRows = createPendingStack(children.get(undefined) ?? [], 1, -1)
  for (let next = pendingRows.pop(); next !== undefined; next = pendingRows.pop()) {
    const { row } = next
    const rowChildren = children.get(row)
    const isExpanded = rowChildren === undefined ? undefined : !isCollapsed(row)
    treeRows.push({ ...next, isExpanded })
    if (rowChildren !== undefined && isExpanded === true)
      for (const child of createPendingStack(rowChildren, next.level + 1, treeRows.length - 1))
        pendingRows.push(child)
  }
  return treeRows
}

type PendingRow<Row> = Omit<TreeRow<Row>, 'isExpanded'>

/** Returns siblings as a stack, the first one on top. */
function createPendingStack<Row>(
  rows: readonly Row[],
  level: number,
  parentIndex: number,
): PendingRow<Row>[] {
  return rows.map(row => ({ row, level, parentIndex })).toReversed()
}
