import { equalValues } from './equal.ts'
import { compareUtf8 } from './go-json.ts'
import { formatPath, type PathSegment } from './path.ts'
import type { PropertyMap, PropertyValue } from './value.ts'
import { isList, isMap } from './value.ts'
import { stripMap } from './walk.ts'

/** A difference that the engine found itself. Both sides are inputs. */
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
 * Compares inputs for providers that cannot. Secret and output wrappers are ignored, and an unknown
 * differs from everything else. Returns undefined without a difference. Source:
 * docs/spec/step-generation.md#diff-decision.
 */
export function diffInputs(olds: PropertyMap, news: PropertyMap): InputDiff | undefined {
  const changedKeys: string[] = []
  const detailedDiff = new Map<string, InputDifference>()
  const a = stripMap(olds)
  const b = stripMap(news)
  for (const key of mergedKeysOf(a, b)) {
    const before = detailedDiff.size
    compare(a.get(key), b.get(key), { path: [key], found: detailedDiff })
    if (detailedDiff.size > before) changedKeys.push(key)
  }
  return changedKeys.length === 0 ? undefined : { changedKeys, detailedDiff }
}

function mergedKeysOf(a: PropertyMap, b: PropertyMap): readonly string[] {
  return [...new Set([...a.keys(), ...b.keys()])].sort(compareUtf8)
}

/** The position of a comparison, and its differences so far. */
interface Trail {
  readonly path: readonly PathSegment[]
  readonly found: Map<string, InputDifference>
}

function descend(trail: Trail, segment: PathSegment): Trail {
  return { ...trail, path: [...trail.path, segment] }
}

function note({ path, found }: Trail, kind: InputDifference['kind']): void {
  found.set(formatPath(path), { kind, inputDiff: true })
}

function compare(a: PropertyValue | undefined, b: PropertyValue | undefined, trail: Trail): void {
  if (equalValues(a, b)) return
  if (isMap(a) && isMap(b))
    for (const key of mergedKeysOf(a, b)) compare(a.get(key), b.get(key), descend(trail, key))
  else if (isList(a) && isList(b)) compareItems(a, b, trail)
  else note(trail, (a ?? null) === null ? 'add' : (b ?? null) === null ? 'delete' : 'update')
}

/** In a list null is a regular item, so an additional or missing null is a difference. */
function compareItems(
  a: readonly PropertyValue[],
  b: readonly PropertyValue[],
  trail: Trail,
): void {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const here = descend(trail, index)
    if (index >= a.length) note(here, 'add')
    else if (index >= b.length) note(here, 'delete')
    else compare(a[index], b[index], here)
  }
}
