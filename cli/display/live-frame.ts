import { formatElapsed } from './format-elapsed.ts'
import { styleOf } from './operation-style.ts'
import type { Paint } from './paint.ts'
import type { Message } from './messages.ts'
import type { ListingOptions, ResourceRow } from './progress.ts'
import { fitLines, renderTree } from './tree.ts'
import { formatTimeLeft } from './time-left.ts'
import { type Segment, widthOf } from './tree-columns.ts'

/** The input of one frame of a running deployment. */
export interface FrameInput extends ListingOptions {
  readonly rows: readonly ResourceRow[]
  readonly messages: ReadonlyMap<string, Message>
  readonly nowMs: number
  readonly startedMs: number
  /** The expected duration of a long deployment. */
  readonly expectedMs?: number | undefined
  readonly isPreview: boolean
  readonly columns: number
  /** Number of lines of the terminal. The frame leaves the last line free for the cursor. */
  readonly height: number
}

/** Renders a frame of a running deployment: the tree, the totals, and the running steps. */
export function renderFrame(input: FrameInput, paint: Paint): readonly string[] {
  const footer = [renderTotals(input), renderWaitingLine(input), ...renderNotice(input)]
  // The frame also has two blank lines, and leaves the last line of the terminal free.
  const tree = fitLines(renderTree(input), Math.max(1, input.height - footer.length - 3))
  return [[], ...tree.map(line => line.segments), [], ...footer].map(segments =>
    renderLine(segments, input.columns, paint),
  )
}

/** Renders the latest warning or error without a resource, such as the answer to Ctrl-C. */
function renderNotice({ messages }: FrameInput): readonly (readonly Segment[])[] {
  const notice = messages.get('')
  if (notice === undefined || (notice.severity !== 'error' && notice.severity !== 'warning'))
    return []
  const [text = ''] = notice.text.split('\n')
  return [[{ color: notice.severity === 'error' ? 'red' : 'yellow', text: `    ${text}` }]]
}

/** Renders a line, truncated to a width. A truncated line ends with an ellipsis. */
export function renderLine(segments: readonly Segment[], columns: number, paint: Paint): string {
  const length = segments.reduce((sum, { text }) => sum + widthOf(text), 0)
  let remainingColumns = length > columns ? columns - 1 : columns
  const pieces = segments.map(({ color, text }) => {
    const piece = Array.from(toSingleLine(text)).slice(0, remainingColumns).join('')
    remainingColumns -= widthOf(piece)
    return paint(color, piece)
  })
  return pieces.join('') + (length > columns ? '…' : '')
}

/** Replaces white space by blanks, because the width of a tab depends on the terminal. */
function toSingleLine(text: string): string {
  return text.replaceAll(/\s/g, ' ')
}

function renderTotals(input: FrameInput): readonly Segment[] {
  const elapsedMs = input.nowMs - input.startedMs
  const counts = { done: 0, same: 0, running: 0, failed: 0 }
  for (const row of input.rows)
    counts[row.op === 'same' && row.status === 'done' ? 'same' : row.status]++
  const pieces = [
    `${counts.done} done`,
    ...(counts.same > 0 ? [`${counts.same} unchanged`] : []),
    `${counts.running} running`,
  ]
  return [
    { color: 'bold', text: `    ${pieces.join(', ')}` },
    ...(counts.failed > 0 ? [{ color: 'red' as const, text: `, ${counts.failed} failed` }] : []),
    { color: 'faint', text: `  ${formatElapsed(elapsedMs)}` },
    { color: 'faint', text: formatTimeLeft(input.expectedMs, elapsedMs) },
  ]
}

/** Renders the line with the steps that have run longest. Other steps usually wait for them. */
function renderWaitingLine(input: FrameInput): readonly Segment[] {
  const runningRows = input.rows
    .filter(row => row.status === 'running')
    .toSorted((left, right) => left.startedMs - right.startedMs)
  return [
    { color: 'faint', text: `    waiting for ${formatWaiting(runningRows, input.isPreview)}` },
  ]
}

/**
 * Names the first three running steps and counts the others. If no step runs, the deployment waits
 * for the next registration of the program or the next step.
 */
export function formatWaiting(runningRows: readonly ResourceRow[], isPreview: boolean): string {
  if (runningRows.length === 0) return 'the next registration or step'
  const descriptions = runningRows
    .slice(0, 3)
    .map(row => (isPreview ? row.name : `${row.name} (${styleOf(row.op).runningText})`))
  const otherCount = runningRows.length - descriptions.length
  return descriptions.join(', ') + (otherCount > 0 ? ` and ${otherCount} more` : '')
}
