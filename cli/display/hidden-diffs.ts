import type { StepMetadata } from '../../shared/engine/events/event.ts'
import { anySegment, containsPath, parsePath, type PathSegment } from '../../shared/values/path.ts'
import { isEventList, isEventMap, isSameValue } from './event-value.ts'

type Path = readonly PathSegment[]

/**
 * Removes the differences that a resource hides from a step. `hidden`: the paths of the option that
 * hid at least one. Source: docs/spec/options.md#option-matrix, hideDiffs.
 */
export function withoutHidden(metadata: StepMetadata): {
  readonly metadata: StepMetadata
  readonly hidden: readonly string[]
} {
  const { old, new: next, detailedDiff } = metadata
  const hiddenPaths = next?.hideDiffs ?? []
  if (old === null || next === null || hiddenPaths.length === 0) return { metadata, hidden: [] }
  const hidden = new Set<string>()
  let inputs: unknown = next.inputs
  let outputs: unknown = next.outputs
  let detailed = Object.entries(detailedDiff ?? {})
  for (const text of hiddenPaths.toSorted()) {
    const path = tryParsePath(text)
    if (path === undefined) continue
    const masked = maskAt(old.inputs, inputs, path)
    if (!isSameValue(masked, inputs)) hidden.add(text)
    inputs = masked
    outputs = maskAt(old.outputs, outputs, path)
    const kept = detailed.filter(([key]) => !containsPath(path, tryParsePath(key) ?? [key]))
    if (kept.length < detailed.length) hidden.add(text)
    detailed = kept
  }
  const isShown = (key: string): boolean =>
    isSameValue(old.inputs[key], next.inputs[key]) ||
    !isSameValue(old.inputs[key], Object(inputs)[key])
  return {
    metadata: {
      ...metadata,
      new: { ...next, inputs: Object(inputs), outputs: Object(outputs) },
      diffs: (metadata.diffs ?? []).filter(isShown),
      detailedDiff: detailedDiff === null ? null : Object.fromEntries(detailed),
    },
    hidden: [...hidden],
  }
}

function tryParsePath(text: string): Path | undefined {
  try {
    return parsePath(text)
  } catch {
    return undefined
  }
}

/** Returns the new value with the old value at a path. */
function maskAt(old: unknown, next: unknown, path: Path): unknown {
  const [segment, ...rest] = path
  if (segment === undefined) return old
  if (isEventList(old) && isEventList(next))
    return next.map((item, at) =>
      segment === anySegment || segment === at ? maskAt(old[at], item, rest) : item,
    )
  if (!isEventMap(old) || !isEventMap(next)) return next
  const keys = segment === anySegment ? Object.keys({ ...old, ...next }) : [segment]
  const masked: Record<string, unknown> = { ...next }
  for (const key of keys) {
    if (typeof key !== 'string') continue
    const value = maskAt(old[key], next[key], rest)
    if (value === undefined) Reflect.deleteProperty(masked, key)
    else masked[key] = value
  }
  return masked
}
