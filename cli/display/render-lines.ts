import { stripVTControlCharacters } from 'node:util'
import type { DiagnosticEvent } from '../../shared/engine/events/event.ts'
import type { DisplayOptions } from '../tools.ts'
import { type ShownStep, shownName } from './model.ts'
import { wordsOf } from './operations.ts'
import type { Paint, Style } from './paint.ts'
import { shortTime } from './render-time.ts'

/** The first line: what runs, on which stack. */
export function headerLine(
  options: Pick<DisplayOptions, 'kind' | 'dryRun' | 'stack'>,
  paint: Paint,
): string {
  const kind = options.kind === 'preview' ? 'up' : options.kind
  const what = options.dryRun
    ? { up: 'Previewing update', refresh: 'Previewing refresh', destroy: 'Previewing destroy' }
    : { up: 'Updating', refresh: 'Refreshing', destroy: 'Destroying' }
  return paint('strong', `${what[kind]} (${options.stack}):`)
}

/** Whether an ended step gets a line of its own: those that changed nothing are only counted. */
export function isListed(step: ShownStep): boolean {
  return step.changed || step.status !== 'done'
}

/** The line of a step that ended: symbol, type, name, status with its time, what changed. */
export function stepLine(step: ShownStep, paint: Paint): string {
  const { symbol, style } = wordsOf(step.op)
  const status = paint(statusStyle(step), statusText(step, step.endedMs))
  return ` ${paint(style, symbol.padEnd(2))} ${step.type} ${step.name} ${status}${noteText(step)}`
}

/** What a step came to or does, with the time that it took so far when it is more than a plan. */
export function statusText(step: ShownStep, nowMs: number | undefined): string {
  const { plan, running, done } = wordsOf(step.op)
  const time = step.planning || nowMs === undefined ? '' : ` (${shortTime(nowMs - step.startedMs)})`
  switch (step.status) {
    case 'running':
      return step.planning ? plan : `${running}${time}`
    case 'done':
      return step.planning ? plan : `${done}${time}`
    case 'failed':
      return `${step.planning ? plan : running} failed${time}`
    case 'unknown':
      return `${running} interrupted${time}`
    default:
      return step.status satisfies never
  }
}

/** The colour of a status: that of the operation while nothing went wrong. */
export function statusStyle(step: ShownStep): Style {
  if (step.status === 'failed') return 'error'
  return step.status === 'unknown' ? 'warning' : wordsOf(step.op).style
}

function noteText(step: ShownStep): string {
  if (step.note === '') return ''
  return step.status === 'failed' ? `: ${step.note}` : ` [${step.note}]`
}

/** What the program or a provider said, a line each, with the resource that it is about. */
export function saidLines(diagnostic: DiagnosticEvent): readonly string[] {
  const { urn } = diagnostic
  const about = urn === undefined || urn === '' ? '' : `${shownName(urn)}: `
  return messageLines(diagnostic).map(line => `    ${about}${line}`)
}

/** `Diagnostics:`, the warnings and errors by resource. */
export function diagnosticLines(
  diagnostics: readonly DiagnosticEvent[],
  typeOf: (urn: string) => string | undefined,
  paint: Paint,
): readonly string[] {
  if (diagnostics.length === 0) return []
  const groups = Map.groupBy(diagnostics, diagnostic => diagnostic.urn ?? '')
  const lines = [...groups].flatMap(([urn, group]) => {
    const title = urn === '' ? [] : [`  ${typeOf(urn) ?? 'resource'} (${shownName(urn)}):`]
    const indent = urn === '' ? '  ' : '    '
    return [...title, ...group.flatMap(one => severeLines(one, paint).map(l => `${indent}${l}`))]
  })
  return [paint('strong', 'Diagnostics:'), ...lines]
}

function severeLines(diagnostic: DiagnosticEvent, paint: Paint): readonly string[] {
  const style = diagnostic.severity === 'error' ? 'error' : 'warning'
  const [first = '', ...rest] = messageLines(diagnostic)
  return [`${paint(style, `${diagnostic.severity}:`)} ${first}`, ...rest.map(line => `  ${line}`)]
}

/** The lines of a message, without the colour marks of SDKs and without terminal control. */
function messageLines(diagnostic: DiagnosticEvent): readonly string[] {
  const plain = stripVTControlCharacters(diagnostic.message).replace(/<\{%[a-z]+%\}>/g, '')
  return plain.replace(/\s+$/, '').split(/\r?\n/)
}
