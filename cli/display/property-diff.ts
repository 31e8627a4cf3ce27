import { isDeepStrictEqual } from 'node:util'
import { signatureKey } from '../../shared/values/wire-options.ts'
import { isShownKey } from './changed-keys.ts'

/** A property by its keys and indices from the top. */
export type PropertyPath = readonly (string | number)[]

/** One difference between two values; `nested` has those inside an object or a list. */
export type PropertyDiff =
  | { readonly kind: 'add'; readonly path: PropertyPath; readonly new: unknown }
  | { readonly kind: 'remove'; readonly path: PropertyPath; readonly old: unknown }
  | {
      readonly kind: 'change'
      readonly path: PropertyPath
      readonly old: unknown
      readonly new: unknown
    }
  | {
      readonly kind: 'nested'
      readonly path: PropertyPath
      readonly isList: boolean
      readonly inside: readonly PropertyDiff[]
    }

/** The differences between two property maps, by key; what SDKs keep for themselves stays out. */
export function diffProperties(
  old: Readonly<Record<string, unknown>>,
  next: Readonly<Record<string, unknown>>,
  path: PropertyPath = [],
): readonly PropertyDiff[] {
  const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])].filter(isShownKey).sort()
  return keys.flatMap((key): readonly PropertyDiff[] => {
    const at = [...path, key]
    if (!Object.hasOwn(old, key)) return [{ kind: 'add', path: at, new: next[key] }]
    if (!Object.hasOwn(next, key)) return [{ kind: 'remove', path: at, old: old[key] }]
    return diffValues(old[key], next[key], at)
  })
}

/** The value at a path; undefined where there is none. */
export function valueAt(value: unknown, path: PropertyPath): unknown {
  const [first, ...rest] = path
  if (first === undefined) return value
  if (Array.isArray(value)) return valueAt(value[Number(first)], rest)
  if (!isRecord(value) || !Object.hasOwn(value, first)) return undefined
  return valueAt(value[first], rest)
}

/** Whether some difference is at `path`, above it or below it. */
export function hasDiffAt(diffs: readonly PropertyDiff[], path: PropertyPath): boolean {
  return diffs.some(diff => {
    const isRelated = diff.path.every((part, at) => at >= path.length || part === path[at])
    if (!isRelated) return false
    if (diff.kind !== 'nested' || diff.path.length >= path.length) return true
    return hasDiffAt(diff.inside, path)
  })
}

function diffValues(old: unknown, next: unknown, path: PropertyPath): readonly PropertyDiff[] {
  if (isDeepStrictEqual(old, next)) return []
  if (Array.isArray(old) && Array.isArray(next)) {
    const inside = diffLists(old, next, path)
    return [{ kind: 'nested', path, isList: true, inside }]
  }
  if (isPlain(old) && isPlain(next)) {
    const inside = diffProperties(old, next, path)
    return inside.length === 0 ? [] : [{ kind: 'nested', path, isList: false, inside }]
  }
  return [{ kind: 'change', path, old, new: next }]
}

function diffLists(
  old: readonly unknown[],
  next: readonly unknown[],
  path: PropertyPath,
): readonly PropertyDiff[] {
  const length = Math.max(old.length, next.length)
  return Array.from({ length }, (_none, at) => at).flatMap((at): readonly PropertyDiff[] => {
    const here = [...path, at]
    if (at >= old.length) return [{ kind: 'add', path: here, new: next[at] }]
    if (at >= next.length) return [{ kind: 'remove', path: here, old: old[at] }]
    return diffValues(old[at], next[at], here)
  })
}

/** An object that stands for itself: not an asset, archive or reference. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !Object.hasOwn(value, signatureKey)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
