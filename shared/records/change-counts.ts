/** The kinds of steps that do not count as changes. A discard only forgets a read resource. */
const unchangingKinds: ReadonlySet<string> = new Set([
  'same',
  'read',
  'discard',
  'read-replacement',
])

/** Reports whether an operation of this kind is a change. */
export function isChange(op: string): boolean {
  return !unchangingKinds.has(op)
}

/** Returns the number of changes among operations. `counts`: their number by kind. */
export function countChanges(counts: Readonly<Record<string, number>>): number {
  return Object.entries(counts)
    .filter(([op]) => isChange(op))
    .reduce((sum, [, count]) => sum + count, 0)
}
