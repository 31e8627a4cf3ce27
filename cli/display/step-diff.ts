import type { StepMetadata } from '../../shared/engine/events/event.ts'
import { parsePath } from '../../shared/values/path.ts'
import {
  diffProperties,
  hasDiffAt,
  type PropertyDiff,
  type PropertyPath,
  valueAt,
} from './property-diff.ts'

/** What a step does to properties, and which of them make the resource be replaced. */
export interface StepDiff {
  readonly diffs: readonly PropertyDiff[]
  readonly forcing: readonly PropertyPath[]
}

const none: StepDiff = { diffs: [], forcing: [] }

/**
 * The differences that a step shows: inputs before and after, outputs for a refresh, everything for what
 * is created or removed. A path that the provider named as different is shown even where the inputs
 * look the same (drift, secrets). Of a replacement only the step `replace` has details.
 */
export function stepDiff(metadata: StepMetadata, isRefresh: boolean): StepDiff {
  const { op, old, new: next } = metadata
  if (op === 'same' || op === 'create-replacement' || op === 'delete-replaced') return none
  if (old === null || op === 'create' || op === 'read' || op === 'read-replacement')
    return { diffs: diffProperties({}, next?.inputs ?? {}), forcing: [] }
  if (next === null) return { diffs: diffProperties(old.inputs, {}), forcing: [] }
  if (op === 'delete' || op === 'discard' || op === 'discard-replaced')
    return { diffs: diffProperties(old.inputs, {}), forcing: [] }
  if (isRefresh || op === 'refresh')
    return { diffs: diffProperties(old.outputs, next.outputs), forcing: [] }
  const diffs = diffProperties(old.inputs, next.inputs)
  const named = namedPaths(metadata)
  const missing = named.filter(({ path }) => !hasDiffAt(diffs, path))
  const added = missing.map(({ path, inputDiff }): PropertyDiff => {
    const before = valueAt(inputDiff ? old.inputs : old.outputs, path)
    return changeOf(path, before, valueAt(next.inputs, path))
  })
  const keys = (metadata.keys ?? []).map(pathOf)
  const forcing = [...keys, ...named.filter(one => one.forces).map(one => one.path)]
  return { diffs: [...diffs, ...added], forcing }
}

interface NamedPath {
  readonly path: PropertyPath
  readonly inputDiff: boolean
  readonly forces: boolean
}

/** The paths of the detailed diff; without one, the changed keys. */
function namedPaths(metadata: StepMetadata): readonly NamedPath[] {
  const detailed = Object.entries(metadata.detailedDiff ?? {})
  if (detailed.length === 0)
    return (metadata.diffs ?? []).map(key => ({
      path: pathOf(key),
      inputDiff: true,
      forces: false,
    }))
  return detailed.map(([path, { diffKind, inputDiff }]) => ({
    path: pathOf(path),
    inputDiff,
    forces: diffKind.endsWith('-replace'),
  }))
}

function changeOf(path: PropertyPath, old: unknown, next: unknown): PropertyDiff {
  if (old === undefined && next !== undefined) return { kind: 'add', path, new: next }
  if (old !== undefined && next === undefined) return { kind: 'remove', path, old }
  return { kind: 'change', path, old, new: next }
}

/** Providers write paths as they like: one that cannot be read is the name of a property. */
function pathOf(text: string): PropertyPath {
  try {
    return parsePath(text).map(part => (typeof part === 'symbol' ? '*' : part))
  } catch {
    return [text]
  }
}
