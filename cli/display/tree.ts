import { durationText } from './duration.ts'
import { lookOf } from './operation-look.ts'
import type { Colour } from './paint.ts'
import { type LineStyle, statusText } from './plain-lines.ts'
import type { Message } from './messages.ts'
import { isListed, type Listed, type Row } from './progress.ts'

/** A piece of a line in one colour, so that lines are cut to a width before they are coloured. */
export interface Segment {
  readonly colour: Colour
  readonly text: string
}

/** One line of the tree; `isLive` while something in it or below it runs or failed. */
export interface TreeLine {
  readonly segments: readonly Segment[]
  readonly isLive: boolean
}

/** What a tree shows. `messages`: the latest one of each resource, by URN. */
export interface TreeAbout extends Listed {
  readonly rows: readonly Row[]
  readonly messages: ReadonlyMap<string, Message>
  readonly nowMs: number
  readonly planning: boolean
}

interface Shown {
  readonly row: Row
  readonly depth: number
  readonly isLive: boolean
}

/** Resources below their parents: those that change or are being worked on, and what holds them. */
export function treeLines(about: TreeAbout): readonly TreeLine[] {
  return shownRows(about).map(({ row, depth, isLive }) => ({
    segments: rowSegments(row, depth, about),
    isLive,
  }))
}

/**
 * Lines that fit into `height`: first what ended goes, then what comes first; a line says how many
 * are left out.
 */
export function foldLines(lines: readonly TreeLine[], height: number): readonly TreeLine[] {
  if (lines.length <= height) return lines
  const room = Math.max(0, height - 1)
  const live = lines.filter(line => line.isLive)
  const kept = live.length > room ? live.slice(live.length - room) : fill(lines, room, live.length)
  const text = `    … ${lines.length - kept.length} more`
  return [{ segments: [{ colour: 'faint', text }], isLive: false }, ...kept]
}

/** The live lines and the last of the others, in the order of the tree. */
function fill(lines: readonly TreeLine[], room: number, live: number): readonly TreeLine[] {
  let spare = room - live
  return lines
    .toReversed()
    .filter(line => line.isLive || spare-- > 0)
    .toReversed()
}

/** Walks the tree without recursion: programs nest components as deep as they like. */
function shownRows(about: TreeAbout): readonly Shown[] {
  const { rows } = about
  const wanted = new Map<string, { isLive: boolean }>()
  const byUrn = new Map(rows.map(row => [row.urn, row]))
  for (const row of rows) if (isShown(row, about)) markWithParents(row, byUrn, wanted)
  const children = new Map<string, Row[]>()
  for (const row of rows) {
    if (!wanted.has(row.urn)) continue
    const parent = byUrn.has(row.parent) && row.parent !== row.urn ? row.parent : ''
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [row])
    else siblings.push(row)
  }
  const shown: Shown[] = []
  const open = (children.get('') ?? []).toReversed().map(row => ({ row, depth: 0 }))
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { row, depth } = next
    shown.push({ row, depth, isLive: wanted.get(row.urn)?.isLive ?? false })
    for (const child of (children.get(row.urn) ?? []).toReversed())
      open.push({ row: child, depth: depth + 1 })
  }
  return shown
}

function isShown(row: Row, listed: Listed): boolean {
  return isListed(row, listed) || (row.status === 'running' && row.op !== 'same')
}

function markWithParents(
  row: Row,
  byUrn: ReadonlyMap<string, Row>,
  wanted: Map<string, { isLive: boolean }>,
): void {
  const isLive = row.status !== 'done'
  let at: Row | undefined = row
  while (at !== undefined) {
    const mark = wanted.get(at.urn)
    if (mark !== undefined && (mark.isLive || !isLive)) return
    wanted.set(at.urn, { isLive })
    at = byUrn.get(at.parent)
  }
}

function rowSegments(row: Row, depth: number, about: TreeAbout): readonly Segment[] {
  const settled = settledRow(row)
  const look = lookOf(settled.op)
  const message = about.messages.get(row.urn)
  return [
    { colour: look.colour, text: ` ${look.mark} ` },
    { colour: 'plain', text: `${'  '.repeat(depth)}${shortType(row.type)}` },
    { colour: 'bold', text: row.name },
    { colour: row.status === 'failed' ? 'red' : look.colour, text: ` ${wordOf(settled, about)}` },
    ...(message === undefined ? [] : [messageSegment(message)]),
  ]
}

/**
 * The last part of a type, which is what people call it: narrow terminals must still show a status.
 */
function shortType(type: string): string {
  return type === '' ? '' : `${type.slice(type.lastIndexOf(':') + 1)} `
}

/**
 * Making a replacement and deleting the original are one replacement to whoever looks at the tree.
 */
function settledRow(row: Row): Row {
  return row.isReplaced && row.status === 'done' ? { ...row, op: 'replace' } : row
}

function wordOf(row: Row, about: TreeAbout): string {
  if (row.status === 'running' && !about.planning)
    return `${lookOf(row.op).running} ${durationText(about.nowMs - row.startedMs)}`
  if (row.status === 'done' && row.op === 'same') return ''
  const style: LineStyle = { paint: (_colour, text) => text, planning: about.planning }
  return statusText(row, style)
}

function messageSegment(message: Message): Segment {
  const colour =
    message.severity === 'error' ? 'red' : message.severity === 'warning' ? 'yellow' : 'faint'
  const [first = ''] = message.text.trimStart().split('\n')
  return { colour, text: ` ${first}` }
}
