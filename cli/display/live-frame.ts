import { formatElapsed } from './format-elapsed.ts'
import { styleOf } from './operation-style.ts'
import type { Paint } from './paint.ts'
import type { Message } from './messages.ts'
import type { ListingOptions, ResourceRow } from './progress.ts'
import { foldLines, type Segment, renderTree } from './tree.ts'

/** The input of one frame of a running deployment. */
export interface FrameInput extends ListingOptions {
  readonly rows: readonly ResourceRow[]
  readonly messages: ReadonlyMap<string, Message>
  readonly nowMs: number
  readonly startedMs: number
  readonly planning: boolean
  readonly columns: number
  /** Lines of the terminal. The frame leaves one free for the cursor. */
  readonly height: number
}

/** Renders a frame of a running deployment: the tree, the totals, and the running steps. */
export function renderFrame(input: FrameInput, paint: Paint): readonly string[] {
  const footer: readonly (readonly Segment[])[] = [totalsSegments(input), waitingSegments(input)]
  const tree = foldLines(renderTree(input), Math.max(1, input.height - footer.length - 2))
  return [...tree.map(line => line.segments), [], ...footer].map(segments =>
    renderLine(segments, input.columns, paint),
  )
}

/** Renders a line, truncated to a width. A truncated line ends with an ellipsis. */
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

/** The width of a tab depends on the terminal, so white space becomes one blank. */
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

/** The longest running steps are shown, because other steps usually wait for them. */
function waitingSegments(input: FrameInput): readonly Segment[] {
  const running = input.rows
    .filter(row => row.status === 'running')
    .toSorted((left, right) => left.startedMs - right.startedMs)
  return [{ colour: 'faint', text: `    waiting for ${waitingText(running, input.planning)}` }]
}

/**
 * Names the first three steps and counts the others. Without a running step, the program decides
 * next.
 */
export function waitingText(running: readonly ResourceRow[], planning: boolean): string {
  if (running.length === 0) return 'the next registration or step'
  const named = running
    .slice(0, 3)
    .map(row => (planning ? row.name : `${row.name} (${styleOf(row.op).running})`))
  const others = running.length - named.length
  return named.join(', ') + (others > 0 ? ` and ${others} more` : '')
}
