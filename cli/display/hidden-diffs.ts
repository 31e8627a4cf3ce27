import type { StepMetadata } from '../../shared/engine/events/event.ts'
import { anySegment, containsPath, parsePath, type PathSegment } from '../../shared/values/path.ts'
import { isEventList, isEventMap, isSameValue } from './event-value.ts'

type Path = readonly PathSegment[]

/**
 * Removes the differences at the paths of the option `hideDiffs` of a step's resource.
 * `effectivePaths`: the paths of the option that hid at least one difference. Source:
 * docs/spec/options.md#option-matrix, hideDiffs.
 */
export function removeHiddenDiffs(metadata: StepMetadata): {
  readonly metadata: StepMetadata
  readonly effectivePaths: readonly string[]
} {
  const { old, new: next, detailedDiff } = metadata
  const hiddenPaths = next?.hideDiffs ?? []
  if (old === null || next === null || hiddenPaths.length === 0)
    return { metadata, effectivePaths: [] }
  const effectivePaths = new Set<string>()
  let inputs: unknown = next.inputs
  let outputs: unknown = next.outputs
  let remainingDiffs = Object.entries(detailedDiff ?? {})
  for (const text of hiddenPaths.toSorted()) {
    const path = tryParsePath(text)
    if (path === undefined) continue
    const maskedInputs = maskAt(old.inputs, inputs, path)
    if (!isSameValue(maskedInputs, inputs)) effectivePaths.add(text)
    inputs = maskedInputs
    outputs = maskAt(old.outputs, outputs, path)
    const visibleDiffs = remainingDiffs.filter(
      ([key]) => !containsPath(path, tryParsePath(key) ?? [key]),
    )
    if (visibleDiffs.length < remainingDiffs.length) effectivePaths.add(text)
    remainingDiffs = visibleDiffs
  }
  // A property with equal old and new inputs is listed because the provider reported it, so it
  // stays shown. Any other property stays shown if its inputs still differ after the masking.
  // `Object` allows access by key to a value of the type `unknown`.
  const isShown = (key: string): boolean =>
    isSameValue(old.inputs[key], next.inputs[key]) ||
    !isSameValue(old.inputs[key], Object(inputs)[key])
  return {
    metadata: {
      ...metadata,
      new: { ...next, inputs: Object(inputs), outputs: Object(outputs) },
      diffs: (metadata.diffs ?? []).filter(isShown),
      detailedDiff: detailedDiff === null ? null : Object.fromEntries(remainingDiffs),
    },
    effectivePaths: [...effectivePaths],
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
  const [segment, ...remainingPath] = path
  if (segment === undefined) return old
  if (isEventList(old) && isEventList(next))
    return next.map((item, index) =>
      segment === anySegment || segment === index ? maskAt(old[index], item, remainingPath) : item,
    )
  if (!isEventMap(old) || !isEventMap(next)) return next
  const keys = segment === anySegment ? Object.keys({ ...old, ...next }) : [segment]
  const oldMap = new Map(Object.entries(old))
  const maskedMap = new Map(Object.entries(next))
  for (const key of keys) {
    if (typeof key !== 'string') continue
    const value = maskAt(oldMap.get(key), maskedMap.get(key), remainingPath)
    if (value === undefined) maskedMap.delete(key)
    else maskedMap.set(key, value)
  }
  return Object.fromEntries(maskedMap)
}
