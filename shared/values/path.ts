import { createError } from '../errors/error.ts'
import type { PropertyMap, PropertyValue } from './value.ts'
import { isList, isMap, isSecret, secretOf } from './value.ts'

/** A segment of a path: a key, an index, or the wildcard (`*`). */
export type PathSegment = string | number | typeof anySegment

/** The wildcard segment. */
export const anySegment = Symbol('*')

/**
 * Parses a property path, such as `root.nested["quoted"][0][*]`
 * (docs/spec/configuration.md#property-path-text). Throws VALUE_MALFORMED.
 */
export function parsePath(text: string): readonly PathSegment[] {
  const segments: PathSegment[] = []
  let position = 0
  while (position < text.length) {
    if (text[position] === '.') {
      if (position === 0) throw createMalformedError(text, 'it starts with a dot')
      position += 1
      if (position === text.length) throw createMalformedError(text, 'it ends with a dot')
      continue
    }
    if (text[position] === '[') {
      const { segment, nextPosition } = parseBracket(text, position)
      segments.push(segment)
      position = nextPosition
      continue
    }
    const end = endOfName(text, position)
    segments.push(toSegment(text.slice(position, end)))
    position = end
  }
  return segments
}

/**
 * Returns the segment of a name. Pulumi does not distinguish the wildcard from a property named
 * `*`.
 */
function toSegment(name: string): PathSegment {
  return name === '*' ? anySegment : name
}

function endOfName(text: string, start: number): number {
  let end = start
  while (end < text.length && text[end] !== '.' && text[end] !== '[') end += 1
  return end
}

function parseBracket(
  text: string,
  start: number,
): { readonly segment: PathSegment; readonly nextPosition: number } {
  if (text[start + 1] === '"') return parseQuoted(text, start)
  const close = text.indexOf(']', start)
  if (close < 0) throw createMalformedError(text, 'a bracket is not closed')
  const inner = text.slice(start + 1, close)
  if (inner === '*') return { segment: anySegment, nextPosition: close + 1 }
  if (!/^[+-]?\d+$/.test(inner)) throw createMalformedError(text, `'${inner}' is not an index`)
  return { segment: Number(inner), nextPosition: close + 1 }
}

function parseQuoted(
  text: string,
  start: number,
): { readonly segment: PathSegment; readonly nextPosition: number } {
  let name = ''
  for (let position = start + 2; position < text.length; position++) {
    if (text[position] === '\\' && text[position + 1] === '"') {
      name += '"'
      position += 1
    } else if (text[position] === '"') {
      if (text[position + 1] !== ']')
        throw createMalformedError(text, "a quoted name is not followed by ']'")
      return { segment: toSegment(name), nextPosition: position + 2 }
    } else name += text[position]
  }
  throw createMalformedError(text, 'a quoted name is not closed')
}

function createMalformedError(text: string, reason: string): Error {
  return createError('VALUE_MALFORMED', `'${text}' is not a property path: ${reason}`)
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
export function getAtPath(
  map: PropertyMap,
  path: readonly PathSegment[],
): PropertyValue | undefined {
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
 * Resets the values at the paths to those of the old inputs. A value that is absent in the old
 * inputs is removed. Paths pass through secrets, and a value from a secret stays secret.
 * `unresetPaths`: the paths that were not reset, because only the old or only the new inputs have a
 * value at one of their segments. A key at the end of a path is an exception: the reset removes an
 * added key, and restores a removed one. The matches of a path with wildcards are reset in order,
 * up to the first match that cannot be reset. Malformed paths are ignored. Source:
 * docs/spec/step-generation.md#ignorechanges.
 */
export function resetPaths(
  old: PropertyMap,
  next: PropertyMap,
  paths: readonly string[],
): { readonly inputs: PropertyMap; readonly unresetPaths: readonly string[] } {
  let inputs = next
  const unresetPaths: string[] = []
  for (const text of paths) {
    const path = parsePathIfValid(text)
    if (path === undefined) continue
    const { value, isComplete } = resetValue(old, inputs, {
      path,
      isFromSecret: false,
      isInSecret: false,
    })
    if (isMap(value)) inputs = value
    if (!isComplete) unresetPaths.push(text)
  }
  return { inputs, unresetPaths }
}

function parsePathIfValid(text: string): readonly PathSegment[] | undefined {
  try {
    return parsePath(text)
  } catch {
    return undefined
  }
}

/** The position of a reset. */
interface ResetPosition {
  /** The remaining path. */
  readonly path: readonly PathSegment[]
  /** Whether the old value is inside a secret. */
  readonly isFromSecret: boolean
  /** Whether the new value is inside a secret. */
  readonly isInSecret: boolean
}

/** The value after a reset. `isComplete`: whether the whole path was reset. */
interface ResetResult {
  readonly value: PropertyValue
  readonly isComplete: boolean
}

function resetValue(old: PropertyValue, next: PropertyValue, position: ResetPosition): ResetResult {
  if (isSecret(next)) {
    const { value, isComplete } = resetValue(old, next.value, { ...position, isInSecret: true })
    return { value: secretOf(value), isComplete }
  }
  if (isSecret(old)) return resetValue(old.value, next, { ...position, isFromSecret: true })
  const [segment, ...path] = position.path
  if (segment === undefined) return { value: next, isComplete: false }
  const childPosition = { ...position, path }
  if (segment === anySegment) return resetWildcard(old, next, childPosition)
  if (typeof segment === 'number') return resetItem(old, next, { ...childPosition, index: segment })
  return resetKey(old, next, { ...childPosition, key: segment })
}

/**
 * Returns an old value for its position in the new inputs. Wraps the value as a secret if it comes
 * from a secret and the position is not inside a secret.
 */
function wrapIfFromSecret(value: PropertyValue, position: ResetPosition): PropertyValue {
  return position.isFromSecret && !position.isInSecret ? secretOf(value) : value
}

function resetItem(
  old: PropertyValue,
  next: PropertyValue,
  position: ResetPosition & { readonly index: number },
): ResetResult {
  const { index } = position
  if (index < 0) return { value: next, isComplete: false }
  if (!isList(old) || !isList(next))
    return { value: next, isComplete: !isList(old) && !isList(next) }
  const before = old[index]
  const after = next[index]
  if (before === undefined || after === undefined) {
    const isAbsent = before === undefined && after === undefined
    return { value: next, isComplete: isAbsent && position.path.length === 0 }
  }
  if (position.path.length === 0)
    return { value: next.with(index, wrapIfFromSecret(before, position)), isComplete: true }
  const { value, isComplete } = resetValue(before, after, position)
  return { value: next.with(index, value), isComplete }
}

function resetKey(
  old: PropertyValue,
  next: PropertyValue,
  position: ResetPosition & { readonly key: string },
): ResetResult {
  const { key } = position
  const before = isMap(old) ? old.get(key) : undefined
  if (position.path.length === 0) {
    if (!isMap(next)) return { value: next, isComplete: before === undefined }
    const changed = new Map(next)
    if (before === undefined) changed.delete(key)
    else changed.set(key, wrapIfFromSecret(before, position))
    return { value: changed, isComplete: true }
  }
  if (!isMap(old) || !isMap(next)) return { value: next, isComplete: !isMap(old) && !isMap(next) }
  const after = next.get(key)
  if (after === undefined) return { value: next, isComplete: before === undefined }
  const { value, isComplete } = resetValue(before ?? null, after, position)
  return { value: new Map(next).set(key, value), isComplete }
}

function resetWildcard(
  old: PropertyValue,
  next: PropertyValue,
  position: ResetPosition,
): ResetResult {
  const isLast = position.path.length === 0
  if (isMap(next)) {
    if (!isMap(old)) return { value: next, isComplete: isLast }
    return isLast
      ? { value: wrapEachIfFromSecret(old, position), isComplete: true }
      : resetEachKey(old, next, position)
  }
  if (!isList(next)) return { value: next, isComplete: false }
  if (!isList(old)) return { value: next, isComplete: isLast }
  return resetEachItem(old, next, position)
}

function wrapEachIfFromSecret(old: PropertyMap, position: ResetPosition): PropertyMap {
  return new Map([...old].map(([key, value]) => [key, wrapIfFromSecret(value, position)]))
}

function resetEachKey(old: PropertyMap, next: PropertyMap, position: ResetPosition): ResetResult {
  const changed = new Map(next)
  for (const [key, before] of old) {
    const after = next.get(key)
    if (after === undefined) return { value: changed, isComplete: false }
    const { value, isComplete } = resetValue(before, after, position)
    changed.set(key, value)
    if (!isComplete) return { value: changed, isComplete }
  }
  return { value: changed, isComplete: true }
}

function resetEachItem(
  old: readonly PropertyValue[],
  next: readonly PropertyValue[],
  position: ResetPosition,
): ResetResult {
  const changed = [...next]
  for (const [index, before] of old.entries()) {
    const after = next[index]
    if (after === undefined) break
    if (position.path.length === 0) changed[index] = wrapIfFromSecret(before, position)
    else {
      const { value, isComplete } = resetValue(before, after, position)
      changed[index] = value
      if (!isComplete) return { value: changed, isComplete }
    }
  }
  return { value: changed, isComplete: old.length === next.length }
}
