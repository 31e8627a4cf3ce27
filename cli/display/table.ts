import { escapeControls } from './escape-controls.ts'

/**
 * Formats a table without borders. Each column is as wide as its widest cell, with two spaces in
 * between. Control characters of cells are escaped.
 */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const allRows = [header, ...rows.map(row => row.map(escapeControls))]
  const widths = header.map((_, column) =>
    Math.max(...allRows.map(row => (row[column] ?? '').length)),
  )
  return allRows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
