import type { StepMetadata, SummaryEvent } from '../../shared/engine/events/event.ts'
import type { DeployResult } from '../../shared/engine/request.ts'
import { isChange } from '../../shared/records/change-counts.ts'
import { formatElapsed } from './format-elapsed.ts'
import { isStepOp, styleOf, summaryOrder } from './operation-style.ts'
import type { Paint } from './paint.ts'
import { formatDiff, type LineStyle } from './plain-lines.ts'
import { nameOfUrn } from './messages.ts'
import type { DiffLine } from './line-diff.ts'
import type { ResourceRow } from './progress.ts'
import { formatEntries, diffMaps } from './property-diff.ts'

/**
 * The figures that the summary of an ended deployment shows. `failedCount`: the number of failed
 * resources.
 */
export interface DeploymentFigures {
  readonly result: DeployResult
  readonly summary: SummaryEvent | undefined
  readonly failedCount: number
  /** The rows of the resources, whose slowest and failed operations are named. */
  readonly rows: readonly ResourceRow[]
  /** The duration, more precise than the whole seconds of the summary event. */
  readonly elapsedMs: number
}

/**
 * Formats the stack's outputs and marks changed ones. A preview has only the changed ones. Returns
 * no lines without outputs.
 */
export function formatOutputs(
  stack: StepMetadata | undefined,
  { paint, isPreview }: LineStyle,
): readonly string[] {
  const lines = outputsOf(stack, isPreview)
  return lines.length === 0 ? [] : [paint('bold', 'Outputs:'), ...formatDiff(lines, paint)]
}

function outputsOf(stack: StepMetadata | undefined, changedOnly: boolean): readonly DiffLine[] {
  if (stack === undefined) return []
  const old = stack.old?.outputs ?? {}
  if (stack.new === null) return formatEntries('-', old, 0)
  const next = stack.new.outputs
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].toSorted().flatMap(key => {
    const lines = diffMaps(pickEntry(old, key), pickEntry(next, key), 0)
    if (lines.length > 0 || changedOnly) return lines
    return formatEntries(' ', pickEntry(next, key), 0)
  })
}

/** Formats the counts of changes by kind of step, with the unchanged and failed resources. */
export function formatResourceCounts(
  figures: DeploymentFigures,
  style: LineStyle,
): readonly string[] {
  const counts = figures.summary?.resourceChanges ?? figures.result.changes
  const changedOps = summaryOrder.filter(op => isChange(op) && (counts[op] ?? 0) > 0)
  const lines = changedOps.filter(isStepOp).map(op => {
    const stepStyle = styleOf(op)
    const label = style.isPreview ? `to ${stepStyle.plannedText}` : stepStyle.doneText
    return `    ${style.paint(stepStyle.color, `${stepStyle.mark}${counts[op]} ${label}`)}`
  })
  const sameCount = counts['same'] ?? 0
  if (sameCount > 0) lines.push(`    ${style.paint('faint', `  ${sameCount} unchanged`)}`)
  if (figures.failedCount > 0)
    lines.push(
      `    ${style.paint('red', `  ${figures.failedCount} failed: ${listFailed(figures)}`)}`,
    )
  if (lines.length === 0 && figures.result.result === 'succeeded') lines.push('      no changes')
  return lines.length === 0 ? [] : [style.paint('bold', 'Resources:'), ...lines]
}

/** Maximum number of failed and of slow operations that the summary names. */
const namedMax = 3

/** Minimum duration of a deployment whose summary names its slowest operations. */
const slowDeploymentMinMs = 10_000

/** Returns the names of the first failed resources. */
function listFailed({ rows }: DeploymentFigures): string {
  const names = rows.filter(row => row.status === 'failed').map(row => row.name)
  return [...names.slice(0, namedMax), ...(names.length > namedMax ? ['…'] : [])].join(', ')
}

/** Formats the duration and the slowest operations. Returns no lines for a preview. */
export function formatDurationLines(
  figures: DeploymentFigures,
  style: LineStyle,
): readonly string[] {
  if (style.isPreview) return []
  const slowest = figures.elapsedMs < slowDeploymentMinMs ? [] : listSlowest(figures)
  const slowestText = slowest.length === 0 ? '' : `, slowest: ${slowest.join(', ')}`
  const elapsed = formatElapsed(figures.elapsedMs)
  return [`${style.paint('bold', 'Duration:')} ${elapsed}${style.paint('faint', slowestText)}`]
}

/** Returns the operations that took longest, at least a second each, such as `db 12s`. */
function listSlowest({ rows }: DeploymentFigures): readonly string[] {
  return rows
    .filter(row => row.custom && row.status !== 'running')
    .map(row => ({ name: row.name, ms: (row.endedMs ?? row.startedMs) - row.startedMs }))
    .filter(({ ms }) => ms >= 1000)
    .toSorted((left, right) => right.ms - left.ms)
    .slice(0, namedMax)
    .map(({ name, ms }) => `${name} ${formatElapsed(ms)}`)
}

/** Formats the pending operations, and the commands that resolve them. */
export function formatPending(pending: DeployResult['pending'], paint: Paint): readonly string[] {
  if (pending.length === 0) return []
  const subject = pending.length === 1 ? 'This operation' : 'These operations'
  return [
    paint(
      'yellow',
      `${subject} began, but ${pending.length === 1 ? 'its result is' : 'their results are'} unknown:`,
    ),
    ...[...Map.groupBy(pending, ({ urn, type }) => `${type} ${urn}`).values()].flatMap(group => {
      const [{ urn, type } = { urn: '', type: '' }] = group
      const count = group.length === 1 ? '' : ` (${group.length} operations)`
      return [
        `    ${type} ${paint('bold', nameOfUrn(urn))}${count}`,
        paint('faint', `      ${urn}`),
      ]
    }),
    'Check whether the resources exist. The next deployment lists the operations again.',
    'Run `antichain state pending import <urn> <id>` or `antichain state pending clear <urn>` for each of them.',
  ]
}

function pickEntry(map: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  return Object.hasOwn(map, key) ? { [key]: map[key] } : {}
}
