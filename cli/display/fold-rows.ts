import type { ResourceRow } from './progress.ts'

/** A listing with more foldable rows than this is folded. */
const foldableRowsMax = 200
/** Minimum number of rows in a fold. */
const foldedRowsMin = 10

/**
 * The rows of a folded listing. `counts`: the URN of a row that stands for several equal rows → the
 * number of these rows.
 */
export interface FoldedRows {
  readonly rows: readonly ResourceRow[]
  readonly counts: ReadonlyMap<string, number>
}

/**
 * Folds a long listing: equal rows with the same parent become one row with their number. Equal
 * rows have the same type and step, have succeeded, and have no children.
 */
export function foldRows(
  rows: readonly ResourceRow[],
  { isFoldable }: { readonly isFoldable: (row: ResourceRow) => boolean },
): FoldedRows {
  const parents = new Set(rows.map(({ parent }) => parent))
  const foldableRows = rows.filter(
    row => row.status === 'done' && !parents.has(row.urn) && isFoldable(row),
  )
  const counts = new Map<string, number>()
  if (foldableRows.length <= foldableRowsMax) return { rows, counts }
  const hiddenUrns = new Set<string>()
  for (const [first, ...others] of Map.groupBy(foldableRows, foldKeyOf).values()) {
    if (first === undefined || others.length + 1 < foldedRowsMin) continue
    counts.set(first.urn, others.length + 1)
    for (const { urn } of others) hiddenUrns.add(urn)
  }
  return { rows: rows.filter(({ urn }) => !hiddenUrns.has(urn)), counts }
}

/** Returns the row that stands for `count` rows: without a duration and without changed keys. */
export function toFoldedRow(row: ResourceRow, count: number): ResourceRow {
  const name = `${count.toLocaleString('en-US')} resources`
  return { ...row, name, endedMs: undefined, changedKeys: [] }
}

function foldKeyOf({ parent, type, op, isReplaced }: ResourceRow): string {
  return JSON.stringify([parent, type, op, isReplaced])
}
