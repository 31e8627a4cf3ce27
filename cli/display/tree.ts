import { formatElapsed } from './format-elapsed.ts'
import { styleOf } from './operation-style.ts'
import type { Colour } from './paint.ts'
import { type LineStyle, formatStatus } from './plain-lines.ts'
import type { Message } from './messages.ts'
import { isListed, type ListingOptions, type ResourceRow } from './progress.ts'

/** A part of a line with one color. A line is truncated before it is colored. */
export interface Segment {
  readonly colour: Colour
  readonly text: string
}

/** One line of the tree. `isLive`: a step in it or below it is running or has failed. */
export interface TreeLine {
  readonly segments: readonly Segment[]
  readonly isLive: boolean
}

/** The input of a tree. `messages`: the latest one of each resource, by URN. */
export interface TreeInput extends ListingOptions {
  readonly rows: readonly ResourceRow[]
  readonly messages: ReadonlyMap<string, Message>
  readonly nowMs: number
  readonly isPreview: boolean
}

interface VisibleRow {
  readonly row: ResourceRow
  readonly depth: number
  readonly isLive: boolean
}

/** Renders the changing and running resources, below their parents. */
export function renderTree(input: TreeInput): readonly TreeLine[] {
  return selectVisibleRows(input).map(({ row, depth, isLive }) => ({
    segments: renderRow(row, depth, input),
    isLive,
  }))
}

/**
 * Fits the lines into `height`. The earliest lines that are not live are omitted first, then the
 * earliest live lines. An extra line shows the number of omitted lines.
 */
export function foldLines(lines: readonly TreeLine[], height: number): readonly TreeLine[] {
  if (lines.length <= height) return lines
  const remainingLines = Math.max(0, height - 1)
  const liveLines = lines.filter(line => line.isLive)
  const keptLines =
    liveLines.length > remainingLines
      ? liveLines.slice(liveLines.length - remainingLines)
      : selectLines(lines, remainingLines, liveLines.length)
  const text = `    … ${lines.length - keptLines.length} more`
  return [{ segments: [{ colour: 'faint', text }], isLive: false }, ...keptLines]
}

/** Returns all live lines, and as many of the last other lines as fit, in tree order. */
function selectLines(
  lines: readonly TreeLine[],
  remainingLines: number,
  liveCount: number,
): readonly TreeLine[] {
  let spareLines = remainingLines - liveCount
  return lines
    .toReversed()
    .filter(line => line.isLive || spareLines-- > 0)
    .toReversed()
}

/** Returns the rows to show. Uses no recursion, because components may be nested to any depth. */
function selectVisibleRows(input: TreeInput): readonly VisibleRow[] {
  const { rows } = input
  const visibility = new Map<string, { isLive: boolean }>()
  const byUrn = new Map(rows.map(row => [row.urn, row]))
  for (const row of rows) if (isShown(row, input)) markWithParents(row, byUrn, visibility)
  const children = new Map<string, ResourceRow[]>()
  for (const row of rows) {
    if (!visibility.has(row.urn)) continue
    const parent = byUrn.has(row.parent) && row.parent !== row.urn ? row.parent : ''
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [row])
    else siblings.push(row)
  }
  const result: VisibleRow[] = []
  const pendingRows = (children.get('') ?? []).toReversed().map(row => ({ row, depth: 0 }))
  for (
    let pendingRow = pendingRows.pop();
    pendingRow !== undefined;
    pendingRow = pendingRows.pop()
  ) {
    const { row, depth } = pendingRow
    result.push({ row, depth, isLive: visibility.get(row.urn)?.isLive ?? false })
    for (const child of (children.get(row.urn) ?? []).toReversed())
      pendingRows.push({ row: child, depth: depth + 1 })
  }
  return result
}

function isShown(row: ResourceRow, options: ListingOptions): boolean {
  return isListed(row, options) || (row.status === 'running' && row.op !== 'same')
}

function markWithParents(
  row: ResourceRow,
  byUrn: ReadonlyMap<string, ResourceRow>,
  visibility: Map<string, { isLive: boolean }>,
): void {
  const isLive = row.status !== 'done'
  let ancestor: ResourceRow | undefined = row
  while (ancestor !== undefined) {
    const recorded = visibility.get(ancestor.urn)
    if (recorded !== undefined && (recorded.isLive || !isLive)) return
    visibility.set(ancestor.urn, { isLive })
    ancestor = byUrn.get(ancestor.parent)
  }
}

function renderRow(row: ResourceRow, depth: number, input: TreeInput): readonly Segment[] {
  const displayedRow = toDisplayedRow(row)
  const stepStyle = styleOf(displayedRow.op)
  const message = input.messages.get(row.urn)
  return [
    { colour: stepStyle.colour, text: ` ${stepStyle.mark} ` },
    { colour: 'plain', text: `${'  '.repeat(depth)}${shortTypeOf(row.type)}` },
    { colour: 'bold', text: row.name },
    {
      colour: row.status === 'failed' ? 'red' : stepStyle.colour,
      text: ` ${statusWordOf(displayedRow, input)}`,
    },
    ...(message === undefined ? [] : [renderMessage(message)]),
  ]
}

/** Returns the last part of a type, so that narrow terminals still show the status. */
function shortTypeOf(type: string): string {
  return type === '' ? '' : `${type.slice(type.lastIndexOf(':') + 1)} `
}

/** Converts a row, so that the create and delete of a replacement appear as one replacement. */
function toDisplayedRow(row: ResourceRow): ResourceRow {
  return row.isReplaced && row.status === 'done' ? { ...row, op: 'replace' } : row
}

function statusWordOf(row: ResourceRow, input: TreeInput): string {
  if (row.status === 'running' && !input.isPreview)
    return `${styleOf(row.op).runningText} ${formatElapsed(input.nowMs - row.startedMs)}`
  if (row.status === 'done' && row.op === 'same') return ''
  const style: LineStyle = { paint: (_colour, text) => text, isPreview: input.isPreview }
  return formatStatus(row, style)
}

function renderMessage(message: Message): Segment {
  const colour =
    message.severity === 'error' ? 'red' : message.severity === 'warning' ? 'yellow' : 'faint'
  const [firstLine = ''] = message.text.trimStart().split('\n')
  return { colour, text: ` ${firstLine}` }
}
