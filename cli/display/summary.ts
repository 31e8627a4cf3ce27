import type { SummaryEvent } from '../../shared/engine/events/event.ts'
import type { DeployResult } from '../../shared/engine/request.ts'
import { isDeepStrictEqual } from 'node:util'
import { type ShownOutputs, shownName } from './model.ts'
import { summaryOrder, wordsOf } from './operations.ts'
import type { Paint, Style } from './paint.ts'
import { longTime } from './render-time.ts'
import { renderValue } from './render-value.ts'

/** `Outputs:` with the changes that a deployment made; no line when there are none to show. */
export function outputLines(outputs: ShownOutputs | undefined, paint: Paint): readonly string[] {
  if (outputs === undefined) return []
  const old = outputs.old ?? {}
  const next = outputs.new ?? {}
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])].sort()
  const lines = names.flatMap(name => {
    if (!Object.hasOwn(old, name)) return output(['+', 'add', name], renderValue(next[name]), paint)
    const before = renderValue(old[name])
    if (!Object.hasOwn(next, name)) return output(['-', 'remove', name], before, paint)
    const after = renderValue(next[name])
    if (isDeepStrictEqual(old[name], next[name])) return output([' ', 'quiet', name], after, paint)
    return output(['~', 'change', name], arrow(before, after), paint)
  })
  return lines.length === 0 ? [] : [paint('strong', 'Outputs:'), ...lines]
}

/** `Resources:` with one line per kind of operation and the number of those that stayed as they were. */
export function resourceLines(summary: SummaryEvent, paint: Paint): readonly string[] {
  const counts = new Map(Object.entries(summary.resourceChanges))
  const lines = summaryOrder.flatMap(op => {
    const count = counts.get(op) ?? 0
    if (count === 0) return []
    const { symbol, style, plan, done } = wordsOf(op)
    const what = summary.isPreview ? `to ${plan}` : done
    return [`    ${paint(style, `${symbol.padEnd(2)}${count} ${what}`)}`]
  })
  const same = counts.get('same') ?? 0
  if (same > 0) lines.push(`    ${same} unchanged`)
  return lines.length === 0 ? [] : [paint('strong', 'Resources:'), ...lines]
}

/** `Duration: 3s`, with minutes and hours for longer ones. */
export function durationLine(seconds: number, paint: Paint): string {
  return `${paint('strong', 'Duration:')} ${longTime(seconds)}`
}

/** Operations whose end nobody knows, and what to do about them. */
export function pendingLines(pending: DeployResult['pending'], paint: Paint): readonly string[] {
  if (pending.length === 0) return []
  const count = pending.length === 1 ? '1 operation' : `${pending.length} operations`
  return [
    paint('warning', `${count} began, and nobody knows how it ended:`),
    ...pending.map(({ urn, type }) => `    ${type} ${shownName(urn)} (${urn})`),
    'Look with the provider whether these resources exist before anything else.',
    'Creates that did not take place are forgotten by `antichain refresh --clear-pending-creates`.',
  ]
}

function arrow(before: readonly string[], after: readonly string[]): readonly string[] {
  const [first = '', ...rest] = after
  return [...before.slice(0, -1), `${before.at(-1) ?? ''} => ${first}`, ...rest]
}

function output(
  [symbol, style, name]: readonly [string, Style, string],
  value: readonly string[],
  paint: Paint,
): readonly string[] {
  const [first = '', ...rest] = value
  const lines = [`  ${symbol} ${name}: ${first}`, ...rest.map(line => `    ${line}`)]
  return symbol === ' ' ? lines : lines.map(line => paint(style, line))
}
