import { error } from '../errors/error.ts'
import type { PropertyMap, PropertyValue } from './value.ts'
import { isList, isMap, isSecret, secretOf } from './value.ts'

/** A segment of a path: a key, an index, or the wildcard (`*`). */
export type PathSegment = string | number | typeof anySegment

/** The wildcard segment. */
export const anySegment = Symbol('*')

/**
 * Parses `root.nested["quoted"][0][*]` (docs/spec/configuration.md#property-path-text). Throws
 * VALUE_MALFORMED.
 */
export function parsePath(text: string): readonly PathSegment[] {
  const segments: PathSegment[] = []
  let at = 0
  while (at < text.length) {
    if (text[at] === '.') {
      if (at === 0) throw malformedError(text, 'it starts with a dot')
      at += 1
      if (at === text.length) throw malformedError(text, 'it ends with a dot')
      continue
    }
    if (text[at] === '[') {
      const { segment, next } = parseBracket(text, at)
      segments.push(segment)
      at = next
      continue
    }
    const end = endOfName(text, at)
    segments.push(toSegment(text.slice(at, end)))
    at = end
  }
  return segments
}

/** Returns a name, or the wildcard. Pulumi does not distinguish it from a property named `*`. */
function toSegment(name: string): PathSegment {
  return name === '*' ? anySegment : name
}

function endOfName(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '.' && text[at] !== '[') at += 1
  return at
}

function parseBracket(
  text: string,
  at: number,
): { readonly segment: PathSegment; readonly next: number } {
  if (text[at + 1] === '"') return parseQuoted(text, at)
  const close = text.indexOf(']', at)
  if (close < 0) throw malformedError(text, 'a bracket is not closed')
  const inner = text.slice(at + 1, close)
  if (inner === '*') return { segment: anySegment, next: close + 1 }
  if (!/^[+-]?\d+$/.test(inner)) throw malformedError(text, `'${inner}' is not an index`)
  return { segment: Number(inner), next: close + 1 }
}

function parseQuoted(
  text: string,
  at: number,
): { readonly segment: PathSegment; readonly next: number } {
  let name = ''
  for (let here = at + 2; here < text.length; here++) {
    if (text[here] === '\\' && text[here + 1] === '"') {
      name += '"'
      here += 1
    } else if (text[here] === '"') {
      if (text[here + 1] !== ']') throw malformedError(text, 'a quoted name is not closed')
      return { segment: toSegment(name), next: here + 2 }
    } else name += text[here]
  }
  throw malformedError(text, 'a quoted name is not closed')
}

function malformedError(text: string, why: string): Error {
  return error('VALUE_MALFORMED', `'${text}' is not a property path: ${why}`)
}

/** Formats a path, with quotes where needed. */
export function formatPath(path: readonly PathSegment[]): string {
  let text = ''
  for (const segment of path) {
    if (segment === anySegment) text += '[*]'
    else if (typeof segment === 'number') text += `[${segment}]`
    else if (/^[A-Za-z0-9_]+$/.test(segment)) text += text === '' ? segment : `.${segment}`
    else text += `["${segment.replaceAll('"', '\\"')}"]`
  }
  return text
}

/** Returns the value at a path without wildcards, or undefined when it does not exist. */
export function getAt(map: PropertyMap, path: readonly PathSegment[]): PropertyValue | undefined {
  let value: PropertyValue | undefined = map
  for (const segment of path) value = childOf(value, segment)
  return value
}

function childOf(
  value: PropertyValue | undefined,
  segment: PathSegment,
): PropertyValue | undefined {
  if (isMap(value) && typeof segment === 'string') return value.get(segment)
  if (isList(value) && typeof segment === 'number') return value[segment]
  return undefined
}

/** Reports whether a path is at or below a pattern. */
export function containsPath(
  pattern: readonly PathSegment[],
  path: readonly PathSegment[],
): boolean {
  if (pattern.length > path.length) return false
  return pattern.every((segment, index) => segment === anySegment || segment === path[index])
}

/**
 * Resets the values at the paths to the old inputs. A value is removed if the old inputs do not
 * have it. Paths pass through secrets, and a value from a secret stays secret. A path through an
 * added or removed value cannot be reset and is returned in `unresettable`; with wildcards, the
 * resettable part is reset anyway. Malformed paths are ignored. Source:
 * docs/spec/step-generation.md#ignorechanges.
 */
export function resetPaths(
  old: PropertyMap,
  next: PropertyMap,
  paths: readonly string[],
): { readonly inputs: PropertyMap; readonly unresettable: readonly string[] } {
  let inputs = next
  const unresettable: string[] = []
  for (const text of paths) {
    const path = parseIfValid(text)
    if (path === undefined) continue
    const { value, isWhole } = reset(old, inputs, { path, fromSecret: false, intoSecret: false })
    if (isMap(value)) inputs = value
    if (!isWhole) unresettable.push(text)
  }
  return { inputs, unresettable }
}

function parseIfValid(text: string): readonly PathSegment[] | undefined {
  try {
    return parsePath(text)
  } catch {
    return undefined
  }
}

/** The state of a reset: the rest of the path, and whether each side is inside a secret. */
interface Place {
  readonly path: readonly PathSegment[]
  readonly fromSecret: boolean
  readonly intoSecret: boolean
}

/** The new value, and whether the whole path was reset. */
interface Reset {
  readonly value: PropertyValue
  readonly isWhole: boolean
}

function reset(old: PropertyValue, next: PropertyValue, place: Place): Reset {
  if (isSecret(next)) {
    const { value, isWhole } = reset(old, next.value, { ...place, intoSecret: true })
    return { value: secretOf(value), isWhole }
  }
  if (isSecret(old)) return reset(old.value, next, { ...place, fromSecret: true })
  const [segment, ...path] = place.path
  if (segment === undefined) return { value: next, isWhole: false }
  const below = { ...place, path }
  if (segment === anySegment) return resetAny(old, next, below)
  if (typeof segment === 'number') return resetItem(old, next, { ...below, index: segment })
  return resetKey(old, next, { ...below, key: segment })
}

/** Returns the old value for its new place, secret if it comes from a secret. */
function carryOver(value: PropertyValue, place: Place): PropertyValue {
  return place.fromSecret && !place.intoSecret ? secretOf(value) : value
}

function resetItem(
  old: PropertyValue,
  next: PropertyValue,
  place: Place & { readonly index: number },
): Reset {
  const { index } = place
  if (index < 0) return { value: next, isWhole: false }
  if (!isList(old) || !isList(next)) return { value: next, isWhole: !isList(old) && !isList(next) }
  const before = old[index]
  const after = next[index]
  if (before === undefined || after === undefined) {
    const isNowhere = before === undefined && after === undefined
    return { value: next, isWhole: isNowhere && place.path.length === 0 }
  }
  if (place.path.length === 0)
    return { value: next.with(index, carryOver(before, place)), isWhole: true }
  const { value, isWhole } = reset(before, after, place)
  return { value: next.with(index, value), isWhole }
}

function resetKey(
  old: PropertyValue,
  next: PropertyValue,
  place: Place & { readonly key: string },
): Reset {
  const { key } = place
  const before = isMap(old) ? old.get(key) : undefined
  if (place.path.length === 0) {
    if (!isMap(next)) return { value: next, isWhole: before === undefined }
    const changed = new Map(next)
    if (before === undefined) changed.delete(key)
    else changed.set(key, carryOver(before, place))
    return { value: changed, isWhole: true }
  }
  if (!isMap(old) || !isMap(next)) return { value: next, isWhole: !isMap(old) && !isMap(next) }
  const after = next.get(key)
  if (after === undefined) return { value: next, isWhole: before === undefined }
  const { value, isWhole } = reset(before ?? null, after, place)
  return { value: new Map(next).set(key, value), isWhole }
}

function resetAny(old: PropertyValue, next: PropertyValue, place: Place): Reset {
  const isLast = place.path.length === 0
  if (isMap(next)) {
    if (!isMap(old)) return { value: next, isWhole: isLast }
    return isLast
      ? { value: carryOverMap(old, place), isWhole: true }
      : resetEachKey(old, next, place)
  }
  if (!isList(next)) return { value: next, isWhole: false }
  if (!isList(old)) return { value: next, isWhole: isLast }
  return resetEachItem(old, next, place)
}

function carryOverMap(old: PropertyMap, place: Place): PropertyMap {
  return new Map([...old].map(([key, value]) => [key, carryOver(value, place)]))
}

function resetEachKey(old: PropertyMap, next: PropertyMap, place: Place): Reset {
  const changed = new Map(next)
  for (const [key, before] of old) {
    const after = next.get(key)
    if (after === undefined) return { value: changed, isWhole: false }
    const { value, isWhole } = reset(before, after, place)
    changed.set(key, value)
    if (!isWhole) return { value: changed, isWhole }
  }
  return { value: changed, isWhole: true }
}

function resetEachItem(
  old: readonly PropertyValue[],
  next: readonly PropertyValue[],
  place: Place,
): Reset {
  const changed = [...next]
  for (const [index, before] of old.entries()) {
    const after = next[index]
    if (after === undefined) break
    if (place.path.length === 0) changed[index] = carryOver(before, place)
    else {
      const { value, isWhole } = reset(before, after, place)
      changed[index] = value
      if (!isWhole) return { value: changed, isWhole }
    }
  }
  return { value: changed, isWhole: old.length === next.length }
}
