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
  readonly planning: boolean
}

interface VisibleRow {
  readonly row: ResourceRow
  readonly depth: number
  readonly isLive: boolean
}

/** Renders the changing and running resources, below their parents. */
export function renderTree(input: TreeInput): readonly TreeLine[] {
  return visibleRows(input).map(({ row, depth, isLive }) => ({
    segments: renderRow(row, depth, input),
    isLive,
  }))
}

/**
 * Fits the lines into `height`. Ended steps are omitted first, then the earliest lines. One line
 * counts the omitted ones.
 */
export function foldLines(lines: readonly TreeLine[], height: number): readonly TreeLine[] {
  if (lines.length <= height) return lines
  const room = Math.max(0, height - 1)
  const live = lines.filter(line => line.isLive)
  const kept = live.length > room ? live.slice(live.length - room) : fill(lines, room, live.length)
  const text = `    … ${lines.length - kept.length} more`
  return [{ segments: [{ colour: 'faint', text }], isLive: false }, ...kept]
}

/** Returns the live lines and the last of the others, in tree order. */
function fill(lines: readonly TreeLine[], room: number, live: number): readonly TreeLine[] {
  let spare = room - live
  return lines
    .toReversed()
    .filter(line => line.isLive || spare-- > 0)
    .toReversed()
}

/** Walks the tree without recursion, because components may be nested to any depth. */
function visibleRows(input: TreeInput): readonly VisibleRow[] {
  const { rows } = input
  const wanted = new Map<string, { isLive: boolean }>()
  const byUrn = new Map(rows.map(row => [row.urn, row]))
  for (const row of rows) if (isShown(row, input)) markWithParents(row, byUrn, wanted)
  const children = new Map<string, ResourceRow[]>()
  for (const row of rows) {
    if (!wanted.has(row.urn)) continue
    const parent = byUrn.has(row.parent) && row.parent !== row.urn ? row.parent : ''
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [row])
    else siblings.push(row)
  }
  const shown: VisibleRow[] = []
  const open = (children.get('') ?? []).toReversed().map(row => ({ row, depth: 0 }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { row, depth } = next
    shown.push({ row, depth, isLive: wanted.get(row.urn)?.isLive ?? false })
    for (const child of (children.get(row.urn) ?? []).toReversed())
      open.push({ row: child, depth: depth + 1 })
  }
  return shown
}

function isShown(row: ResourceRow, listed: ListingOptions): boolean {
  return isListed(row, listed) || (row.status === 'running' && row.op !== 'same')
}

function markWithParents(
  row: ResourceRow,
  byUrn: ReadonlyMap<string, ResourceRow>,
  wanted: Map<string, { isLive: boolean }>,
): void {
  const isLive = row.status !== 'done'
  let at: ResourceRow | undefined = row
  while (at !== undefined) {
    const mark = wanted.get(at.urn)
    if (mark !== undefined && (mark.isLive || !isLive)) return
    wanted.set(at.urn, { isLive })
    at = byUrn.get(at.parent)
  }
}

function renderRow(row: ResourceRow, depth: number, input: TreeInput): readonly Segment[] {
  const settled = toSettledRow(row)
  const look = styleOf(settled.op)
  const message = input.messages.get(row.urn)
  return [
    { colour: look.colour, text: ` ${look.mark} ` },
    { colour: 'plain', text: `${'  '.repeat(depth)}${shortTypeOf(row.type)}` },
    { colour: 'bold', text: row.name },
    {
      colour: row.status === 'failed' ? 'red' : look.colour,
      text: ` ${statusWordOf(settled, input)}`,
    },
    ...(message === undefined ? [] : [renderMessage(message)]),
  ]
}

/** Returns the last part of a type, so that narrow terminals still show the status. */
function shortTypeOf(type: string): string {
  return type === '' ? '' : `${type.slice(type.lastIndexOf(':') + 1)} `
}

/** The tree shows the create and delete of a replacement as one replacement. */
function toSettledRow(row: ResourceRow): ResourceRow {
  return row.isReplaced && row.status === 'done' ? { ...row, op: 'replace' } : row
}

function statusWordOf(row: ResourceRow, input: TreeInput): string {
  if (row.status === 'running' && !input.planning)
    return `${styleOf(row.op).running} ${formatElapsed(input.nowMs - row.startedMs)}`
  if (row.status === 'done' && row.op === 'same') return ''
  const style: LineStyle = { paint: (_colour, text) => text, planning: input.planning }
  return formatStatus(row, style)
}

function renderMessage(message: Message): Segment {
  const colour =
    message.severity === 'error' ? 'red' : message.severity === 'warning' ? 'yellow' : 'faint'
  const [first = ''] = message.text.trimStart().split('\n')
  return { colour, text: ` ${first}` }
}
