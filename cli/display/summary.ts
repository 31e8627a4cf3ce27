import type { StepMetadata, SummaryEvent } from '../../shared/engine/events/event.ts'
import type { DeployResult } from '../../shared/engine/request.ts'
import { formatElapsed } from './format-elapsed.ts'
import { isStepOp, styleOf, summaryOrder } from './operation-style.ts'
import type { Paint } from './paint.ts'
import { formatDiff, type LineStyle } from './plain-lines.ts'
import { nameOfUrn } from './messages.ts'
import { type DiffLine, formatEntries, diffMaps } from './property-diff.ts'

/** What the end of a deployment is told from. */
export interface Ending {
  readonly result: DeployResult
  readonly summary: SummaryEvent | undefined
  readonly failures: number
  /** How long it took, finer than the whole seconds of the summary event. */
  readonly elapsedMs: number
}

/** The stack's outputs, marked where they changed; nothing when there are none. */
export function formatOutputs(stack: StepMetadata | undefined, paint: Paint): readonly string[] {
  const lines = outputsOf(stack)
  return lines.length === 0 ? [] : [paint('bold', 'Outputs:'), ...formatDiff(lines, paint)]
}

function outputsOf(stack: StepMetadata | undefined): readonly DiffLine[] {
  if (stack === undefined) return []
  const old = stack.old?.outputs ?? {}
  if (stack.new === null) return formatEntries('-', old, 0)
  const next = stack.new.outputs
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].toSorted().flatMap(key => {
    const lines = diffMaps(pick(old, key), pick(next, key), 0)
    return lines.length > 0 ? lines : formatEntries(' ', pick(next, key), 0)
  })
}

/** Counts by kind of step, the unchanged and the failed. */
export function formatResourceCounts(ending: Ending, style: LineStyle): readonly string[] {
  const counts = ending.summary?.resourceChanges ?? ending.result.changes
  const changed = summaryOrder.filter(op => !quiet.has(op) && (counts[op] ?? 0) > 0)
  const lines = changed.filter(isStepOp).map(op => {
    const look = styleOf(op)
    const label = style.planning ? `to ${look.planned}` : look.done
    return `    ${style.paint(look.colour, `${look.mark}${counts[op]} ${label}`)}`
  })
  const same = counts['same'] ?? 0
  if (same > 0) lines.push(`    ${style.paint('faint', `  ${same} unchanged`)}`)
  if (ending.failures > 0) lines.push(`    ${style.paint('red', `  ${ending.failures} failed`)}`)
  if (changed.length === 0 && ending.failures === 0 && ending.result.result === 'succeeded')
    lines.push(`      ${style.planning ? 'no changes are needed' : 'nothing changed'}`)
  return lines.length === 0 ? [] : [style.paint('bold', 'Resources:'), ...lines]
}

/** Reads change nothing; what stays the same has a line of its own. */
const quiet: ReadonlySet<string> = new Set(['same', 'read', 'read-replacement', 'discard'])

/** How long it took; a preview's time is nobody's concern. */
export function formatDurationLines(ending: Ending, style: LineStyle): readonly string[] {
  if (style.planning) return []
  return [`${style.paint('bold', 'Duration:')} ${formatElapsed(ending.elapsedMs)}`]
}

/** The operations whose end nobody knows, and what to do about them. */
export function formatPending(pending: DeployResult['pending'], paint: Paint): readonly string[] {
  if (pending.length === 0) return []
  const which = pending.length === 1 ? 'This operation' : 'These operations'
  return [
    paint(
      'yellow',
      `${which} began, and how ${pending.length === 1 ? 'it' : 'they'} ended is not known:`,
    ),
    ...pending.flatMap(({ urn, type }) => [
      `    ${type} ${paint('bold', nameOfUrn(urn))}`,
      paint('faint', `      ${urn}`),
    ]),
    'Find out what became of the resources. The next deployment names them again;',
    '`antichain state pending import <urn> <id>` or `clear <urn>` settles each of them.',
  ]
}

function pick(map: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  return Object.hasOwn(map, key) ? { [key]: map[key] } : {}
}
