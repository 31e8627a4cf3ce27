import { unknownMarkers } from '../../shared/values/wire-options.ts'
import { formatElapsed } from './format-elapsed.ts'
import { styleOf } from './operation-style.ts'
import type { StepMetadata } from '../../shared/engine/events/event.ts'
import { removeControls, type Paint } from './paint.ts'
import type { Message } from './messages.ts'
import type { ResourceRow } from './progress.ts'
import type { DiffLine } from './line-diff.ts'
import { shortenToken } from './shorten-token.ts'

/** The options for formatting lines. */
export interface LineStyle {
  readonly paint: Paint
  /** Whether the lines belong to a preview, which shows planned steps without durations. */
  readonly isPreview: boolean
}

/** Formats an ended step on one line: mark, type, name, result and duration. */
export function formatRow(row: ResourceRow, style: LineStyle): string {
  const stepStyle = styleOf(row.op)
  const mark = style.paint(stepStyle.color, stepStyle.mark)
  const type = row.type === '' ? '' : `${shortenToken(row.type)} `
  return ` ${mark} ${type}${style.paint('bold', row.name)} ${formatStatus(row, style)}`
}

/**
 * Formats the result of a step, or in a preview the planned step. The result of a custom resource
 * includes the duration.
 */
export function formatStatus(row: ResourceRow, style: LineStyle): string {
  const stepStyle = styleOf(row.op)
  if (style.isPreview) return style.paint(stepStyle.color, stepStyle.plannedText)
  const duration =
    row.endedMs === undefined || !row.custom
      ? ''
      : style.paint('faint', ` (${formatElapsed(row.endedMs - row.startedMs)})`)
  if (row.status === 'failed')
    return style.paint('red', `${stepStyle.runningText} failed`) + duration
  return style.paint(stepStyle.color, stepStyle.doneText) + duration
}

/**
 * Formats id, URN and provider of a step below its row, and the properties that require a
 * replacement. An unchanged resource has none of these lines.
 */
export function formatIdentity(metadata: StepMetadata, paint: Paint): readonly string[] {
  const { op, urn, old, new: next, keys = [] } = metadata
  if (op === 'same') return []
  const id = old?.id || next?.id || ''
  // A preview does not know the id of a provider that the update creates.
  const provider = (next?.provider || old?.provider || '').replace(unknownIdPattern, '')
  const fields = [
    ...(id === '' ? [] : [`id: ${id}`]),
    `urn: ${urn}`,
    ...(provider === '' ? [] : [`provider: ${provider}`]),
    ...(op.endsWith('-replacement') && keys.length > 0 ? [`replaced for: ${keys.join(', ')}`] : []),
  ]
  return fields.map(field => paint('faint', `      ${removeControls(field)}`))
}

const unknownIdPattern = new RegExp(`::(?:${[...unknownMarkers].join('|')})$`)

/** Formats the lines of a diff below a row. */
export function formatDiff(lines: readonly DiffLine[], paint: Paint): readonly string[] {
  const colors = { '+': 'green', '-': 'red', '~': 'yellow', ' ': 'plain' } as const
  return lines.map(({ mark, depth, text }) => {
    const indent = ' '.repeat(6 + 4 * depth)
    return `${indent}${paint(colors[mark], `${mark} ${text}`)}`
  })
}

/**
 * Formats a message with the name of its resource. Lines after the first are indented. Errors and
 * warnings also show the URN of the resource.
 */
export function formatMessage(message: Message, paint: Paint): readonly string[] {
  const isProblem = message.severity === 'error' || message.severity === 'warning'
  const color = message.severity === 'error' ? 'red' : 'yellow'
  const subject = message.subject === '' ? '' : `${message.subject}: `
  const [firstText = '', ...otherLines] = message.text.split('\n')
  const showsSeverity = isProblem || message.severity === 'debug'
  const severity = showsSeverity
    ? `${paint(isProblem ? color : 'faint', `${message.severity}:`)} `
    : ''
  const firstLine = severity + subject + firstText
  return [
    `    ${firstLine}`,
    ...otherLines.map(line => `      ${line}`),
    ...(isProblem && message.urn !== '' ? [paint('faint', `      ${message.urn}`)] : []),
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
