import type { EventStep } from '../api/engine-events.ts'

/** A changed property, as the API returns it, or as the events of a preview report it. */
export interface ShownPropertyChange {
  readonly path: string
  readonly op: 'add' | 'remove' | 'change' | 'unknown'
  readonly old?: unknown
  readonly new?: unknown
}

/**
 * Returns the changed inputs of a step: all inputs of a new resource, and otherwise those whose
 * values differ. The values of secrets are hidden, so only the list `diffs` of the engine shows
 * that a secret changed. Pure.
 */
export function listPlannedChanges(step: EventStep): readonly ShownPropertyChange[] {
  const { op, diffs, old, new: next } = step
  if (op === 'same' || next?.inputs === undefined) return []
  const oldInputs = new Map(Object.entries(old?.inputs ?? {}))
  const newInputs = new Map(Object.entries(next.inputs))
  const changedNames = new Set((diffs ?? []).map(path => /^[^.[]*/.exec(path)?.[0] ?? path))
  const names = [...new Set([...oldInputs.keys(), ...newInputs.keys()])]
  return names.toSorted().flatMap((path): readonly ShownPropertyChange[] => {
    const [oldValue, newValue] = [oldInputs.get(path), newInputs.get(path)]
    if (oldValue === undefined) return [{ path, op: 'add', new: newValue }]
    if (newValue === undefined) return [{ path, op: 'remove', old: oldValue }]
    const isSame = JSON.stringify(oldValue) === JSON.stringify(newValue)
    if (isSame && !changedNames.has(path)) return []
    return [{ path, op: 'change', old: oldValue, new: newValue }]
  })
}
