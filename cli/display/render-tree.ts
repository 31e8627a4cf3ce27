import type { Model } from './model.ts'
import { wordsOf } from './operations.ts'
import type { Paint } from './paint.ts'
import { statusStyle, statusText } from './render-lines.ts'
import { shortTime } from './render-time.ts'
import { foldTree, type PlacedRow, type TreeRow, treeRows } from './tree.ts'

/** The terminal and the moment that a frame is for. */
export interface Frame {
  readonly nowMs: number
  readonly startedMs: number
  readonly columns: number
  readonly rows: number
  readonly paint: Paint
  /** Whether a program runs that may ask for more. */
  readonly hasProgram: boolean
}

/** One frame: the tree folded to the terminal, what is waited for, totals. Never taller than it. */
export function renderTree(model: Model, frame: Frame): readonly string[] {
  const all = treeRows(model)
  // Below the tree come the folded ones, what is waited for, the totals, and the cursor's own line.
  const height = Math.max(frame.rows - 4, 1)
  const { rows, left } = foldTree(all, height)
  const columns = columnsOf(rows, frame.columns)
  const folded = left === 0 ? [] : [fit(`    … ${left} more`, frame.columns)]
  return [
    ...rows.map(row => rowLine(row, columns, frame)),
    ...folded.map(line => frame.paint('quiet', line)),
    frame.paint('quiet', fit(waitingLine(all, frame), frame.columns)),
    frame.paint('strong', fit(totalsLine(all, frame), frame.columns)),
  ]
}

/** What the deployment waits for: the steps that run longest, else the program. */
function waitingLine(rows: readonly TreeRow[], { nowMs, hasProgram }: Frame): string {
  const running = rows.filter(row => row.state === 'running' && !row.step.component)
  if (running.length === 0)
    return hasProgram ? 'Waiting for the program.' : 'Waiting for the next step.'
  const oldest = [...running].sort((a, b) => a.step.startedMs - b.step.startedMs)
  const named = oldest
    .slice(0, 3)
    .map(({ step }) => `${step.name} (${shortTime(nowMs - step.startedMs)})`)
  const rest = oldest.length > 3 ? ` and ${oldest.length - 3} more` : ''
  return `Waiting for ${named.join(', ')}${rest}.`
}

function totalsLine(rows: readonly TreeRow[], frame: Frame): string {
  const count = (state: TreeRow['state']): number => rows.filter(row => row.state === state).length
  const planned = rows.some(row => row.step.planning)
  const parts = [
    [count('running'), 'running'],
    [count('changed'), planned ? 'to change' : 'changed'],
    [count('failed'), 'failed'],
    [count('unchanged'), 'unchanged'],
  ] as const
  const counts = parts.flatMap(([number, word]) => (number === 0 ? [] : [`${number} ${word}`]))
  return [...counts, shortTime(frame.nowMs - frame.startedMs)].join(', ')
}

interface Columns {
  readonly type: number
  readonly name: number
  readonly rest: number
}

/** Widths: type and name as wide as needed, within shares of the terminal; the status has the rest. */
function columnsOf(rows: readonly PlacedRow[], width: number): Columns {
  const widest = (texts: readonly string[]): number =>
    texts.reduce((most, text) => Math.max(most, text.length), 0)
  const type = Math.min(widest(rows.map(typeCell)), Math.floor(width * 0.45))
  const name = Math.min(widest(rows.map(({ row }) => row.step.name)), Math.floor(width * 0.3))
  return { type, name, rest: Math.max(width - type - name - 8, 0) }
}

function typeCell({ row, depth }: PlacedRow): string {
  return `${'   '.repeat(depth)}${row.step.type}`
}

function rowLine(placed: PlacedRow, columns: Columns, frame: Frame): string {
  const { step } = placed.row
  const { symbol, style } = wordsOf(step.op)
  const nowMs = step.status === 'running' ? frame.nowMs : step.endedMs
  const status = fit(statusText(step, nowMs), columns.rest)
  const note = fit(step.note === '' ? '' : `  ${step.note}`, columns.rest - status.length)
  return [
    ` ${frame.paint(style, symbol.padEnd(2))}`,
    fit(typeCell(placed), columns.type).padEnd(columns.type),
    fit(step.name, columns.name).padEnd(columns.name),
    ` ${frame.paint(statusStyle(step), status)}${frame.paint('quiet', note)}`,
  ].join(' ')
}

/** A text cut to a width, with an ellipsis where something is missing. */
function fit(text: string, width: number): string {
  if (text.length <= width) return text
  return width < 1 ? '' : `${text.slice(0, width - 1)}…`
}
