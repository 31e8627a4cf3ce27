import type { Color } from './paint.ts'

/** A part of a line with one color. A line is truncated before it is colored. */
export interface Segment {
  readonly color: Color
  readonly text: string
}

/** Maximum width of a column. A wider cell moves only the rest of its own line. */
const columnWidthMax = 64

/** The cells of one line of the tree, before the columns are aligned. */
export interface TreeCells {
  readonly mark: Segment
  /** The branch lines that lead to the resource, and then its type. */
  readonly type: string
  readonly name: string
  readonly status: Segment
  /** The latest message, or the changed properties. */
  readonly info: Segment
}

/** Aligns the types, names and statuses of all lines in columns with two spaces in between. */
export function alignTree(lines: readonly TreeCells[]): readonly (readonly Segment[])[] {
  const typeWidth = maxWidthOf(lines.map(line => line.type))
  const nameWidth = maxWidthOf(lines.map(line => line.name))
  const statusWidth = maxWidthOf(lines.map(line => line.status.text))
  return lines.map(({ mark, type, name, status, info }) => {
    const isInfoShown = info.text !== ''
    const isStatusShown = isInfoShown || status.text !== ''
    return [
      mark,
      { color: 'plain', text: type === '' && typeWidth === 0 ? '' : pad(type, typeWidth) },
      { color: 'bold', text: isStatusShown ? pad(name, nameWidth) : name },
      { ...status, text: isInfoShown ? pad(status.text, statusWidth) : status.text },
      ...(isInfoShown ? [info] : []),
    ]
  })
}

/** Appends the space up to the next column. */
function pad(text: string, width: number): string {
  return `${text}${' '.repeat(Math.max(0, width - widthOf(text)))}  `
}

function maxWidthOf(texts: readonly string[]): number {
  const width = texts.reduce((max, text) => Math.max(max, widthOf(text)), 0)
  return Math.min(columnWidthMax, width)
}

/** Returns the number of columns of a text. Pure. */
export function widthOf(text: string): number {
  return Array.from(text).length
}
