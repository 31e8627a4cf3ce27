import { formatElapsed } from './format-elapsed.ts'
import { styleOf } from './operation-style.ts'
import type { Paint } from './paint.ts'
import type { Message } from './messages.ts'
import type { ListingOptions, ResourceRow } from './progress.ts'
import { foldLines, type Segment, renderTree } from './tree.ts'

/** What one picture of a running deployment is made from. */
export interface FrameInput extends ListingOptions {
  readonly rows: readonly ResourceRow[]
  readonly messages: ReadonlyMap<string, Message>
  readonly nowMs: number
  readonly startedMs: number
  readonly planning: boolean
  readonly columns: number
  /** Lines of the terminal; the frame leaves one free for the cursor. */
  readonly height: number
}

/** The picture of a running deployment: tree, totals, and what is waited for. */
export function renderFrame(input: FrameInput, paint: Paint): readonly string[] {
  const footer: readonly (readonly Segment[])[] = [totalsSegments(input), waitingSegments(input)]
  const tree = foldLines(renderTree(input), Math.max(1, input.height - footer.length - 2))
  return [...tree.map(line => line.segments), [], ...footer].map(segments =>
    renderLine(segments, input.columns, paint),
  )
}

/** A line cut to a width, an ellipsis where something was cut. */
export function renderLine(segments: readonly Segment[], columns: number, paint: Paint): string {
  const length = segments.reduce((sum, { text }) => sum + widthOf(text), 0)
  let room = length > columns ? columns - 1 : columns
  const cut = segments.map(({ colour, text }) => {
    const piece = Array.from(toSingleLine(text)).slice(0, room).join('')
    room -= widthOf(piece)
    return paint(colour, piece)
  })
  return cut.join('') + (length > columns ? '…' : '')
}

/** Tabs have no width of their own that could be counted on. */
function toSingleLine(text: string): string {
  return text.replaceAll(/\s/g, ' ')
}

function widthOf(text: string): number {
  return Array.from(text).length
}

function totalsSegments(input: FrameInput): readonly Segment[] {
  const counts = { done: 0, same: 0, running: 0, failed: 0 }
  for (const row of input.rows)
    counts[row.op === 'same' && row.status === 'done' ? 'same' : row.status]++
  const pieces = [
    `${counts.done} done`,
    ...(counts.same > 0 ? [`${counts.same} unchanged`] : []),
    `${counts.running} running`,
  ]
  return [
    { colour: 'bold', text: `    ${pieces.join(', ')}` },
    ...(counts.failed > 0 ? [{ colour: 'red' as const, text: `, ${counts.failed} failed` }] : []),
    { colour: 'faint', text: `  ${formatElapsed(input.nowMs - input.startedMs)}` },
  ]
}

/** The steps that run longest are what everything else waits for. */
function waitingSegments(input: FrameInput): readonly Segment[] {
  const running = input.rows
    .filter(row => row.status === 'running')
    .toSorted((left, right) => left.startedMs - right.startedMs)
  return [{ colour: 'faint', text: `    waiting for ${waitingText(running, input.planning)}` }]
}

/** The first steps by name, the others by number; without any, the program has the next word. */
export function waitingText(running: readonly ResourceRow[], planning: boolean): string {
  if (running.length === 0) return 'the next registration or step'
  const named = running
    .slice(0, 3)
    .map(row => (planning ? row.name : `${row.name} (${styleOf(row.op).running})`))
  const others = running.length - named.length
  return named.join(', ') + (others > 0 ? ` and ${others} more` : '')
}
