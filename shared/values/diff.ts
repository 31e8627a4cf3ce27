import { areEqualValues } from './equal.ts'
import { compareUtf8 } from './go-json.ts'
import { formatPath, type PathSegment } from './path.ts'
import type { PropertyMap, PropertyValue } from './value.ts'
import { isList, isMap } from './value.ts'
import { stripSecretsInMap } from './special-values.ts'

/** A difference between old and new inputs that the engine found without a provider. */
export interface InputDifference {
  readonly kind: 'add' | 'delete' | 'update'
  readonly inputDiff: true
}

/** Differences of two objects by path, and the top-level keys that differ. */
export interface InputDiff {
  readonly changedKeys: readonly string[]
  readonly detailedDiff: ReadonlyMap<string, InputDifference>
}

/**
 * Compares inputs for providers that do not support Diff. Secret and output wrappers are ignored,
 * and an unknown differs from everything else. Returns undefined if there is no difference. Source:
 * docs/spec/step-generation.md#diff-decision.
 */
export function diffInputs(oldInputs: PropertyMap, newInputs: PropertyMap): InputDiff | undefined {
  const changedKeys: string[] = []
  const detailedDiff = new Map<string, InputDifference>()
  const a = stripSecretsInMap(oldInputs)
  const b = stripSecretsInMap(newInputs)
  for (const key of mergedKeysOf(a, b)) {
    const earlierCount = detailedDiff.size
    compare(a.get(key), b.get(key), { path: [key], differences: detailedDiff })
    if (detailedDiff.size > earlierCount) changedKeys.push(key)
  }
  return changedKeys.length === 0 ? undefined : { changedKeys, detailedDiff }
}

function mergedKeysOf(a: PropertyMap, b: PropertyMap): readonly string[] {
  return [...new Set([...a.keys(), ...b.keys()])].sort(compareUtf8)
}

/** The path of a comparison, and the differences that were found so far. */
interface Comparison {
  readonly path: readonly PathSegment[]
  readonly differences: Map<string, InputDifference>
}

function descend(comparison: Comparison, segment: PathSegment): Comparison {
  return { ...comparison, path: [...comparison.path, segment] }
}

function addDifference({ path, differences }: Comparison, kind: InputDifference['kind']): void {
  differences.set(formatPath(path), { kind, inputDiff: true })
}

function compare(
  a: PropertyValue | undefined,
  b: PropertyValue | undefined,
  comparison: Comparison,
): void {
  if (areEqualValues(a, b)) return
  if (isMap(a) && isMap(b))
    for (const key of mergedKeysOf(a, b)) compare(a.get(key), b.get(key), descend(comparison, key))
  else if (isList(a) && isList(b)) compareItems(a, b, comparison)
  else
    addDifference(
      comparison,
      (a ?? null) === null ? 'add' : (b ?? null) === null ? 'delete' : 'update',
    )
}

/**
 * Compares two lists. An additional item is a difference even if it is null, unlike an additional
 * key of an object.
 */
function compareItems(
  a: readonly PropertyValue[],
  b: readonly PropertyValue[],
  comparison: Comparison,
): void {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const itemComparison = descend(comparison, index)
    if (index >= a.length) addDifference(itemComparison, 'add')
    else if (index >= b.length) addDifference(itemComparison, 'delete')
    else compare(a[index], b[index], itemComparison)
  }
}
