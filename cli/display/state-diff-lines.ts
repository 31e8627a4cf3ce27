import type { PropertyChange, ResourceChange, StateDiff } from '../../shared/state/diff-states.ts'
import { escapeControls } from './escape-controls.ts'
import type { Json } from '../../shared/state/stored.ts'

/** Maximum number of characters of one value in a line. */
const valueCharsMax = 160

const marks = { add: '+', remove: '-', change: '~', unknown: '?' } as const

/**
 * Formats the differences of two states: a line for each resource, property and pending operation,
 * and a summary.
 */
export function formatStateDiff(diff: StateDiff): readonly string[] {
  return [
    ...diff.changes.flatMap(formatChange),
    ...diff.pendingAdded.map(({ urn, type }) => `+ pending operation '${type}' of ${urn}`),
    ...diff.pendingRemoved.map(({ urn, type }) => `- pending operation '${type}' of ${urn}`),
    formatDiffSummary(diff),
  ].map(escapeControls)
}

/** Formats the numbers of differences in one line. */
function formatDiffSummary({ changes, sameCount }: StateDiff): string {
  const counts = { add: 0, change: 0, remove: 0 }
  for (const { op } of changes) counts[op] += 1
  return `Resources: ${counts.add} added, ${counts.change} changed, ${counts.remove} removed, ${sameCount} unchanged`
}

function formatChange({ op, urn, id, isOldCopy, properties }: ResourceChange): readonly string[] {
  const idText = id === undefined ? '' : ` (id ${id})`
  const copyText = isOldCopy === true ? ' [old copy]' : ''
  return [`${marks[op]} ${urn}${idText}${copyText}`, ...properties.map(formatProperty)]
}

function formatProperty(change: PropertyChange): string {
  const line = `    ${marks[change.op]} ${change.path}: `
  if (change.op === 'unknown')
    return `${line}[secret], encrypted again; without its key the values cannot be compared`
  if (change.op === 'add') return line + formatJson(change.new)
  if (change.op === 'remove') return line + formatJson(change.old)
  return `${line}${formatJson(change.old)} => ${formatJson(change.new)}`
}

function formatJson(value: Json | undefined): string {
  const text = value === undefined ? '' : JSON.stringify(value)
  return text.length <= valueCharsMax ? text : `${text.slice(0, valueCharsMax)}…`
}
