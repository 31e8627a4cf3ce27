import { useMemo, useState } from 'react'
import { flattenTree, type TreeRow } from './flatten-tree.ts'
import type { TreeState } from './tree-keys.ts'

/** The shown rows of a tree, for a `VirtualTable`. */
export interface ShownTree<Row> {
  readonly treeRows: readonly TreeRow<Row>[]
  readonly tree: TreeState<TreeRow<Row>>
  /** Shows or hides the children of all rows. */
  readonly setAllCollapsed: (isCollapsed: boolean) => void
}

/**
 * Returns those rows of a tree whose ancestors are expanded, and the functions that expand rows. At
 * first all rows are expanded. `keyOf` and `parentOf` never change.
 */
export function useTree<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  parentOf: (row: Row) => string | undefined,
): ShownTree<Row> {
  /** The keys of the rows that are expanded although the others are collapsed, or vice versa. */
  const [exceptions, setExceptions] = useState<ReadonlySet<string>>(new Set())
  const [isCollapsedByDefault, setCollapsedByDefault] = useState(false)
  const treeRows = useMemo(() => {
    const isCollapsed = (row: Row): boolean => exceptions.has(keyOf(row)) !== isCollapsedByDefault
    return flattenTree(rows, { keyOf, parentOf, isCollapsed })
  }, [rows, exceptions, isCollapsedByDefault, keyOf, parentOf])
  const tree: TreeState<TreeRow<Row>> = {
    levelOf: ({ level }) => level,
    isExpanded: ({ isExpanded }) => isExpanded,
    parentIndexOf: ({ parentIndex }) => parentIndex,
    onToggle: ({ row }) => setExceptions(before => toggleKey(before, keyOf(row))),
  }
  const setAllCollapsed = (isCollapsed: boolean): void => {
    setExceptions(new Set())
    setCollapsedByDefault(isCollapsed)
  }
  return { treeRows, tree, setAllCollapsed }
}

function toggleKey(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys)
  if (!next.delete(key)) next.add(key)
  return next
}
