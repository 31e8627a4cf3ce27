import { durationText } from './duration.ts'
import { lookOf } from './operation-look.ts'
import type { Paint } from './paint.ts'
import type { Message } from './messages.ts'
import type { Listed, Row } from './progress.ts'
import { foldLines, type Segment, treeLines } from './tree.ts'

/** What one picture of a running deployment is made from. */
export interface FrameAbout extends Listed {
  readonly rows: readonly Row[]
  readonly messages: ReadonlyMap<string, Message>
  readonly nowMs: number
  readonly startedMs: number
  readonly planning: boolean
  readonly columns: number
  /** Lines of the terminal; the frame leaves one free for the cursor. */
  readonly height: number
}

/** The picture of a running deployment: tree, totals, and what is waited for. */
export function frameLines(about: FrameAbout, paint: Paint): readonly string[] {
  const footer: readonly (readonly Segment[])[] = [totals(about), waiting(about)]
  const tree = foldLines(treeLines(about), Math.max(1, about.height - footer.length - 2))
  return [...tree.map(line => line.segments), [], ...footer].map(segments =>
    lineText(segments, about.columns, paint),
  )
}

/** A line cut to a width, an ellipsis where something was cut. */
export function lineText(segments: readonly Segment[], columns: number, paint: Paint): string {
  const length = segments.reduce((sum, { text }) => sum + widthOf(text), 0)
  let room = length > columns ? columns - 1 : columns
  const cut = segments.map(({ colour, text }) => {
    const piece = Array.from(flat(text)).slice(0, room).join('')
    room -= widthOf(piece)
    return paint(colour, piece)
  })
  return cut.join('') + (length > columns ? '…' : '')
}

/** Tabs have no width of their own that could be counted on. */
function flat(text: string): string {
  return text.replaceAll(/\s/g, ' ')
}

function widthOf(text: string): number {
  return Array.from(text).length
}

function totals(about: FrameAbout): readonly Segment[] {
  const counts = { done: 0, same: 0, running: 0, failed: 0 }
  for (const row of about.rows)
    counts[row.op === 'same' && row.status === 'done' ? 'same' : row.status]++
  const pieces = [
    `${counts.done} done`,
    ...(counts.same > 0 ? [`${counts.same} unchanged`] : []),
    `${counts.running} running`,
  ]
  return [
    { colour: 'bold', text: `    ${pieces.join(', ')}` },
    ...(counts.failed > 0 ? [{ colour: 'red' as const, text: `, ${counts.failed} failed` }] : []),
    { colour: 'faint', text: `  ${durationText(about.nowMs - about.startedMs)}` },
  ]
}

/** The steps that run longest are what everything else waits for. */
function waiting(about: FrameAbout): readonly Segment[] {
  const running = about.rows
    .filter(row => row.status === 'running')
    .toSorted((left, right) => left.startedMs - right.startedMs)
  return [{ colour: 'faint', text: `    waiting for ${waitedFor(running, about.planning)}` }]
}

/** The first steps by name, the others by number; without any, the program has the next word. */
export function waitedFor(running: readonly Row[], planning: boolean): string {
  if (running.length === 0) return 'the next registration or step'
  const named = running
    .slice(0, 3)
    .map(row => (planning ? row.name : `${row.name} (${lookOf(row.op).running})`))
  const others = running.length - named.length
  return named.join(', ') + (others > 0 ? ` and ${others} more` : '')
}
