import { formatElapsed } from './format-elapsed.ts'
import { styleOf } from './operation-style.ts'
import type { Paint } from './paint.ts'
import type { Message } from './messages.ts'
import type { ResourceRow } from './progress.ts'
import type { DiffLine } from './property-diff.ts'

/** The style of lines. */
export interface LineStyle {
  readonly paint: Paint
  /** Whether this is a preview: planned steps, without durations. */
  readonly planning: boolean
}

/** Formats an ended step on one line: mark, type, name, result and duration. */
export function formatRow(row: ResourceRow, style: LineStyle): string {
  const look = styleOf(row.op)
  const mark = style.paint(look.colour, look.mark)
  const type = row.type === '' ? '' : `${row.type} `
  return ` ${mark} ${type}${style.paint('bold', row.name)} ${formatStatus(row, style)}`
}

/** Formats the result of a step with its duration. In a preview it is the planned step. */
export function formatStatus(row: ResourceRow, style: LineStyle): string {
  const look = styleOf(row.op)
  if (style.planning) return style.paint(look.colour, look.planned)
  const took =
    row.endedMs === undefined || !row.custom
      ? ''
      : style.paint('faint', ` (${formatElapsed(row.endedMs - row.startedMs)})`)
  if (row.status === 'failed') return style.paint('red', `${look.running} failed`) + took
  return style.paint(look.colour, look.done) + took
}

/** Formats the lines of a diff below a row. */
export function formatDiff(lines: readonly DiffLine[], paint: Paint): readonly string[] {
  const colours = { '+': 'green', '-': 'red', '~': 'yellow', ' ': 'plain' } as const
  return lines.map(({ mark, depth, text }) => {
    const indent = ' '.repeat(6 + 4 * depth)
    return `${indent}${paint(colours[mark], `${mark} ${text}`)}`
  })
}

/**
 * Formats a message with its resource. Errors and warnings also show its URN, and further lines are
 * indented.
 */
export function formatMessage(message: Message, paint: Paint): readonly string[] {
  const isLoud = message.severity === 'error' || message.severity === 'warning'
  const colour = message.severity === 'error' ? 'red' : 'yellow'
  const subject = message.subject === '' ? '' : `${message.subject}: `
  const [first = '', ...more] = message.text.split('\n')
  const isNamed = isLoud || message.severity === 'debug'
  const severity = isNamed ? `${paint(isLoud ? colour : 'faint', `${message.severity}:`)} ` : ''
  const head = severity + subject + first
  return [
    `    ${head}`,
    ...more.map(line => `      ${line}`),
    ...(isLoud && message.urn !== '' ? [paint('faint', `      ${message.urn}`)] : []),
  ]
}

/** Formats all messages, grouped by resource, in order of first appearance. */
export function formatGroupedMessages(
  messages: readonly Message[],
  paint: Paint,
): readonly string[] {
  const groups = Map.groupBy(messages, message => message.urn)
  return [...groups.values()].flatMap(group =>
    group.flatMap(message => formatMessage(message, paint)),
  )
}
