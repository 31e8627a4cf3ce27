/**
 * Formats a table without borders. Each column is as wide as its widest cell, with two spaces in
 * between.
 */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map(row => (row[column] ?? '').length)))
  return all.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
