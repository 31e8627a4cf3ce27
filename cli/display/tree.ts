import { formatElapsed } from './format-elapsed.ts'
import { styleOf } from './operation-style.ts'
import type { Color } from './paint.ts'
import { type LineStyle, formatStatus } from './plain-lines.ts'
import type { Message } from './messages.ts'
import { foldRows, toFoldedRow } from './fold-rows.ts'
import { isListed, type ListingOptions, type ResourceRow } from './progress.ts'
import { shortenToken } from './shorten-token.ts'
import { alignTree, type Segment, type TreeCells } from './tree-columns.ts'

/** One line of the tree. `hasPriority`: its step, or one below it, is running or has failed. */
export interface TreeLine {
  readonly segments: readonly Segment[]
  readonly hasPriority: boolean
}

/** The input of a tree. `messages`: the latest one of each resource, by URN. */
export interface TreeInput extends ListingOptions {
  readonly rows: readonly ResourceRow[]
  readonly messages: ReadonlyMap<string, Message>
  readonly nowMs: number
  readonly isPreview: boolean
  /** Whether equal rows of a long listing are shown as one row with their number. */
  readonly mustFold?: boolean
}

interface VisibleRow {
  readonly row: ResourceRow
  /** The branch lines before the type, such as `└─ `. */
  readonly branch: string
  readonly hasPriority: boolean
}

/** Renders the changing and running resources in columns, below their parents. */
export function renderTree(input: TreeInput): readonly TreeLine[] {
  const { rows, counts } = foldRows(input.rows, {
    isFoldable: row =>
      input.mustFold === true && isShown(row, input) && !input.messages.has(row.urn),
  })
  const visibleRows = selectVisibleRows({ ...input, rows })
  const lines = alignTree(
    visibleRows.map(({ row, branch }) => {
      const count = counts.get(row.urn)
      return renderRow(count === undefined ? row : toFoldedRow(row, count), branch, input)
    }),
  )
  return lines.map((segments, index) => ({
    segments,
    hasPriority: visibleRows[index]?.hasPriority ?? false,
  }))
}

/**
 * Fits the lines into `height` lines. The earliest lines without priority are omitted first, then
 * the earliest lines with priority. An extra line shows the number of omitted lines.
 */
export function fitLines(lines: readonly TreeLine[], height: number): readonly TreeLine[] {
  if (lines.length <= height) return lines
  const linesMax = Math.max(0, height - 1)
  const priorityLines = lines.filter(line => line.hasPriority)
  const shownLines =
    priorityLines.length > linesMax
      ? priorityLines.slice(priorityLines.length - linesMax)
      : selectLines(lines, linesMax, priorityLines.length)
  const text = `    … ${lines.length - shownLines.length} more`
  return [{ segments: [{ color: 'faint', text }], hasPriority: false }, ...shownLines]
}

/** Returns all lines with priority, and as many of the last other lines as fit, in tree order. */
function selectLines(
  lines: readonly TreeLine[],
  linesMax: number,
  priorityCount: number,
): readonly TreeLine[] {
  let spareCount = linesMax - priorityCount
  return lines
    .toReversed()
    .filter(line => line.hasPriority || spareCount-- > 0)
    .toReversed()
}

/** Returns the rows to show. Uses no recursion, because components may be nested to any depth. */
function selectVisibleRows(input: TreeInput): readonly VisibleRow[] {
  const { rows } = input
  /** Whether a visible row has priority, by URN. */
  const priorityByUrn = new Map<string, boolean>()
  const rowByUrn = new Map(rows.map(row => [row.urn, row]))
  for (const row of rows) if (isShown(row, input)) markWithAncestors(row, rowByUrn, priorityByUrn)
  const childrenByParent = new Map<string, ResourceRow[]>()
  for (const row of rows) {
    if (!priorityByUrn.has(row.urn)) continue
    const parent = rowByUrn.has(row.parent) && row.parent !== row.urn ? row.parent : ''
    const siblings = childrenByParent.get(parent)
    if (siblings === undefined) childrenByParent.set(parent, [row])
    else siblings.push(row)
  }
  const visibleRows: VisibleRow[] = []
  const pendingRows = (childrenByParent.get('') ?? [])
    .toReversed()
    .map(row => ({ row, branch: '', childBranch: '' }))
  for (
    let pendingRow = pendingRows.pop();
    pendingRow !== undefined;
    pendingRow = pendingRows.pop()
  ) {
    const { row, branch, childBranch } = pendingRow
    visibleRows.push({ row, branch, hasPriority: priorityByUrn.get(row.urn) ?? false })
    for (const [index, child] of (childrenByParent.get(row.urn) ?? []).toReversed().entries())
      pendingRows.push({
        row: child,
        branch: childBranch + (index === 0 ? '└─ ' : '├─ '),
        childBranch: childBranch + (index === 0 ? '   ' : '│  '),
      })
  }
  return visibleRows
}

function isShown(row: ResourceRow, options: ListingOptions): boolean {
  return isListed(row, options) || (row.status === 'running' && row.op !== 'same')
}

/**
 * Marks a row and its ancestors as visible. An ancestor has priority if a row below it has
 * priority.
 */
function markWithAncestors(
  row: ResourceRow,
  rowByUrn: ReadonlyMap<string, ResourceRow>,
  priorityByUrn: Map<string, boolean>,
): void {
  const hasPriority = row.status !== 'done'
  let ancestor: ResourceRow | undefined = row
  while (ancestor !== undefined) {
    const recordedPriority = priorityByUrn.get(ancestor.urn)
    if (recordedPriority !== undefined && (recordedPriority || !hasPriority)) return
    priorityByUrn.set(ancestor.urn, hasPriority)
    ancestor = rowByUrn.get(ancestor.parent)
  }
}

function renderRow(row: ResourceRow, branch: string, input: TreeInput): TreeCells {
  const displayedRow = toDisplayedRow(row)
  const stepStyle = styleOf(displayedRow.op)
  const message = input.messages.get(row.urn)
  const status = {
    color: statusColorOf(row, stepStyle.color),
    text: statusTextOf(displayedRow, input),
  }
  return {
    mark: { color: stepStyle.color, text: ` ${stepStyle.mark} ` },
    type: `${branch}${shortenToken(row.type)}`,
    name: row.name,
    status,
    info: message === undefined ? renderChangedKeys(row) : renderMessage(message),
  }
}

function statusColorOf(row: ResourceRow, color: Color): Color {
  return row.status === 'failed' ? 'red' : color
}

/** Maximum number of named properties. */
const keysMax = 5

/** Names the properties that differ, such as `~ size, tags`. */
function renderChangedKeys({ changedKeys }: ResourceRow): Segment {
  if (changedKeys.length === 0) return { color: 'faint', text: '' }
  const omitted = changedKeys.length > keysMax ? ', …' : ''
  return { color: 'faint', text: `~ ${changedKeys.slice(0, keysMax).join(', ')}${omitted}` }
}

/** Converts a row, so that the create and delete of a replacement appear as one replacement. */
function toDisplayedRow(row: ResourceRow): ResourceRow {
  return row.isReplaced && row.status === 'done' ? { ...row, op: 'replace' } : row
}

function statusTextOf(row: ResourceRow, input: TreeInput): string {
  if (row.status === 'running' && !input.isPreview)
    return `${styleOf(row.op).runningText} ${formatElapsed(input.nowMs - row.startedMs)}`
  if (row.status === 'done' && row.op === 'same') return ''
  const style: LineStyle = { paint: (_color, text) => text, isPreview: input.isPreview }
  return formatStatus(row, style)
}

function renderMessage(message: Message): Segment {
  const color =
    message.severity === 'error' ? 'red' : message.severity === 'warning' ? 'yellow' : 'faint'
  const [firstLine = ''] = message.text.trimStart().split('\n')
  return { color, text: firstLine }
}
