import { error } from '../errors/error.ts'
import type { PropertyMap, PropertyValue } from './value.ts'
import { isList, isMap } from './value.ts'

/** A step of a path: a key, an index, or any (`*`). */
export type PathSegment = string | number | typeof anySegment

/** The wildcard segment. */
export const anySegment = Symbol('*')

/** Reads `root.nested["quoted"][0][*]` (`state.md` 4.5). Throws VALUE_MALFORMED. */
export function parsePath(text: string): readonly PathSegment[] {
  const segments: PathSegment[] = []
  let at = 0
  while (at < text.length) {
    if (text[at] === '.') {
      if (at === 0) throw malformed(text, 'it starts with a dot')
      at += 1
      if (text[at] === '[') continue
    }
    if (text[at] === '[') {
      const { segment, next } = parseBracket(text, at)
      segments.push(segment)
      at = next
      continue
    }
    const end = endOfName(text, at)
    const name = text.slice(at, end)
    if (name === '') throw malformed(text, 'it has an empty name')
    segments.push(name === '*' ? anySegment : name)
    at = end
  }
  return segments
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
  if (close < 0) throw malformed(text, 'a bracket is not closed')
  const inner = text.slice(at + 1, close)
  if (inner === '*') return { segment: anySegment, next: close + 1 }
  if (!/^\d+$/.test(inner)) throw malformed(text, `'${inner}' is not an index`)
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
      if (text[here + 1] !== ']') throw malformed(text, 'a quoted name is not closed')
      return { segment: name, next: here + 2 }
    } else name += text[here]
  }
  throw malformed(text, 'a quoted name is not closed')
}

function malformed(text: string, why: string): Error {
  return error('VALUE_MALFORMED', `'${text}' is not a property path: ${why}`)
}

/** Writes a path; what needs quotes gets them. */
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

/** What stands at a path without wildcards, undefined when nothing does. */
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

/** Whether a path lies at or below what a pattern names. */
export function containsPath(
  pattern: readonly PathSegment[],
  path: readonly PathSegment[],
): boolean {
  if (pattern.length > path.length) return false
  return pattern.every((segment, index) => segment === anySegment || segment === path[index])
}

/**
 * The new inputs with what stands at the paths put back to what it was: set, or taken away where the
 * old inputs have nothing. A path that runs through something added or removed cannot be put back
 * and is named. Unreadable paths are passed over. Source: `engine.md` 5.14.
 */
export function resetPaths(
  old: PropertyMap,
  next: PropertyMap,
  paths: readonly string[],
): { readonly inputs: PropertyMap; readonly unresettable: readonly string[] } {
  let inputs = next
  const unresettable: string[] = []
  for (const text of paths) {
    const path = readable(text)
    if (path === undefined || path.length === 0) continue
    const result = reset(old, inputs, path)
    if (result === unreachable) unresettable.push(text)
    else if (isMap(result)) inputs = result
  }
  return { inputs, unresettable }
}

function readable(text: string): readonly PathSegment[] | undefined {
  try {
    return parsePath(text)
  } catch {
    return undefined
  }
}

const unreachable = Symbol('unreachable')

function reset(
  old: PropertyValue | undefined,
  next: PropertyValue | undefined,
  path: readonly PathSegment[],
): PropertyValue | typeof unreachable | undefined {
  const [segment, ...rest] = path
  if (segment === undefined) return old
  if (segment === anySegment) return resetAll(old, next, rest)
  if (typeof segment === 'string') return resetKey(old, next, [segment, rest])
  if (!isList(next) || !isList(old))
    return old === undefined && next === undefined ? next : unreachable
  if (segment >= old.length || segment >= next.length)
    return segment >= old.length && segment >= next.length ? next : unreachable
  const item = reset(old[segment], next[segment], rest)
  if (item === unreachable || item === undefined) return unreachable
  return next.with(segment, item)
}

function resetKey(
  old: PropertyValue | undefined,
  next: PropertyValue | undefined,
  [key, rest]: readonly [string, readonly PathSegment[]],
): PropertyValue | typeof unreachable | undefined {
  if (!isMap(next)) return isMap(old) && old.has(key) ? unreachable : next
  if (!isMap(old)) return next.has(key) ? unreachable : next
  if (rest.length > 0 && !next.has(key) && !old.has(key)) return next
  const item = rest.length === 0 ? old.get(key) : reset(old.get(key), next.get(key), rest)
  if (item === unreachable) return unreachable
  const changed = new Map(next)
  if (item === undefined) changed.delete(key)
  else changed.set(key, item)
  return changed
}

function resetAll(
  old: PropertyValue | undefined,
  next: PropertyValue | undefined,
  rest: readonly PathSegment[],
): PropertyValue | typeof unreachable | undefined {
  if (isList(next) && isList(old)) return resetItems(old, next, rest)
  if (!isMap(next) || !isMap(old)) return old === undefined ? next : unreachable
  let map: PropertyValue | typeof unreachable | undefined = next
  for (const key of new Set([...old.keys(), ...next.keys()])) {
    map = resetKey(old, map, [key, rest])
    if (map === unreachable) return unreachable
  }
  return map
}

function resetItems(
  old: readonly PropertyValue[],
  next: readonly PropertyValue[],
  rest: readonly PathSegment[],
): PropertyValue | typeof unreachable {
  if (next.length !== old.length) return rest.length === 0 ? old : unreachable
  const items: PropertyValue[] = []
  for (const [index, item] of next.entries()) {
    const back = reset(old[index], item, rest)
    if (back === unreachable || back === undefined) return unreachable
    items.push(back)
  }
  return items
}
