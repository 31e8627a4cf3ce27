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

/** Returns the number of changes in numbers of operations by kind. */
export function countChanges(changes: Readonly<Record<string, number>>): number {
  return Object.entries(changes)
    .filter(([op]) => isChange(op))
    .reduce((sum, [, count]) => sum + count, 0)
}
