import { formatNumber } from './format-count.ts'

/** The meaning of a status, which decides its color and symbol. */
export type StatusTone = 'good' | 'bad' | 'busy' | 'warn' | 'quiet'

/** A status as the page shows it. */
export interface StatusDisplay {
  readonly text: string
  readonly tone: StatusTone
}

const resultLabels: ReadonlyMap<string, StatusDisplay> = new Map([
  ['succeeded', { text: 'succeeded', tone: 'good' }],
  ['failed', { text: 'failed', tone: 'bad' }],
  ['cancelled', { text: 'cancelled', tone: 'warn' }],
  ['interrupted', { text: 'interrupted', tone: 'warn' }],
])

/** Returns the status of a deployment. `result` is undefined while the deployment is open. Pure. */
export function resultStatusOf(result: string | undefined): StatusDisplay {
  if (result === undefined) return { text: 'running', tone: 'busy' }
  return resultLabels.get(result) ?? { text: result, tone: 'quiet' }
}

/** Returns the name of a command as users know it. Pure. */
export function commandLabelOf(command: string): string {
  return command === 'up' ? 'update' : command
}

/** The kinds of changes in the order in which the page shows them, with their words. */
const changeLabels: readonly (readonly [kind: string, word: string])[] = [
  ['create', 'created'],
  ['update', 'updated'],
  ['replace', 'replaced'],
  ['delete', 'deleted'],
  ['import', 'imported'],
  ['read', 'read'],
  ['refresh', 'refreshed'],
  ['same', 'unchanged'],
]

/**
 * Returns the counts of a summary as texts, such as `3 created`. The parts of replacements are
 * omitted, because `replace` counts them. Unknown kinds come last. Pure.
 */
export function listChangeTexts(changes: Readonly<Record<string, number>>): readonly string[] {
  return listCounts(changes, changeLabels)
}

/** Returns the counts of a preview as texts, such as `3 to create`. Pure. */
export function listPlannedTexts(changes: Readonly<Record<string, number>>): readonly string[] {
  const labels = changeLabels.map(
    ([kind, word]) => [kind, kind === 'same' ? word : `to ${kind}`] as const,
  )
  return listCounts(changes, labels)
}

function listCounts(
  changes: Readonly<Record<string, number>>,
  labels: typeof changeLabels,
): readonly string[] {
  const knownKinds = new Set(labels.map(([kind]) => kind))
  const knownCounts = labels.map(([kind, word]) => [changes[kind] ?? 0, word] as const)
  const unknownCounts = Object.entries(changes)
    .filter(([kind]) => !knownKinds.has(kind) && !/-replace(?:d|ment)$|pending/.test(kind))
    .map(([kind, count]) => [count, kind] as const)
  return [...knownCounts, ...unknownCounts]
    .filter(([count]) => count > 0)
    .map(([n, word]) => `${formatNumber(n)} ${word}`)
}
