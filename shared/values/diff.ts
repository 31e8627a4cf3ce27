import { equalValues } from './equal.ts'
import { formatPath, type PathSegment } from './path.ts'
import type { PropertyMap, PropertyValue } from './value.ts'
import { isList, isMap } from './value.ts'
import { stripMap } from './walk.ts'

/** One difference that the engine found itself; both sides are inputs. */
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
 * The engine's own comparison, for providers that cannot tell: without secret and output wrappers;
 * an unknown is different from everything else. undefined: no difference. Source: `engine.md` 5.6.8.
 */
export function diffInputs(olds: PropertyMap, news: PropertyMap): InputDiff | undefined {
  const changedKeys: string[] = []
  const detailedDiff = new Map<string, InputDifference>()
  const a = stripMap(olds)
  const b = stripMap(news)
  for (const key of [...new Set([...a.keys(), ...b.keys()])].sort()) {
    const before = detailedDiff.size
    compare(a.get(key), b.get(key), [key], detailedDiff)
    if (detailedDiff.size > before) changedKeys.push(key)
  }
  return changedKeys.length === 0 ? undefined : { changedKeys, detailedDiff }
}

function compare(
  a: PropertyValue | undefined,
  b: PropertyValue | undefined,
  path: readonly PathSegment[],
  found: Map<string, InputDifference>,
): void {
  if (equalValues(a, b)) return
  if (isMap(a) && isMap(b)) {
    for (const key of [...new Set([...a.keys(), ...b.keys()])].sort())
      compare(a.get(key), b.get(key), [...path, key], found)
    return
  }
  if (isList(a) && isList(b)) {
    for (let index = 0; index < Math.max(a.length, b.length); index++)
      compare(a[index], b[index], [...path, index], found)
    return
  }
  const kind = (a ?? null) === null ? 'add' : (b ?? null) === null ? 'delete' : 'update'
  found.set(formatPath(path), { kind, inputDiff: true })
}
