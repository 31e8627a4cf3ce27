import { createError } from '../../errors/error.ts'
import {
  isContainer,
  isTreeList,
  isTreeMap,
  type ConfigTree,
  type StoredConfigValue,
} from './config-tree.ts'

const pathHint = 'Write a path such as `servers[0].name`, or remove --path.'

/** A property path of map keys and list indexes. */
export type ConfigPath = readonly [string, ...(readonly (string | number)[])]

/**
 * Parses a path such as `root.nested`, `root["quoted"]`, `root[0]`
 * (docs/spec/configuration.md#property-path-text). The first segment is the configuration key.
 * Throws CONFIG_INVALID.
 */
export function parseConfigPath(text: string): ConfigPath {
  const [first, ...subpath] = segmentsOf(text)
  if (typeof first !== 'string' || first === '')
    throw createError(
      'CONFIG_INVALID',
      `'${text}' is not a path: it must begin with the name of a key`,
      {
        hint: pathHint,
      },
    )
  return [first, ...subpath]
}

/** Returns the tree at a path below a value, or undefined when it does not exist. */
export function getTreeAt(
  value: ConfigTree | undefined,
  path: readonly (string | number)[],
): ConfigTree | undefined {
  const [segment, ...subpath] = path
  if (segment === undefined || value === undefined) return value
  if (isTreeMap(value) && typeof segment === 'string') return getTreeAt(value.get(segment), subpath)
  if (isTreeList(value) && typeof segment === 'number') return getTreeAt(value[segment], subpath)
  return undefined
}

/**
 * Returns the value with `leaf` at a path below it (docs/spec/configuration.md#path-keys). The
 * function creates missing containers, replaces a scalar at the first level, and extends lists by
 * one item at most. Throws CONFIG_INVALID.
 */
export function withTreeAt(
  value: StoredConfigValue | undefined,
  path: ConfigPath,
  leaf: ConfigTree,
): StoredConfigValue {
  const [, ...subpath] = path
  const newTree = putAt(isContainer(value) ? value : undefined, subpath, { leaf, fullPath: path })
  if (!isContainer(newTree)) throw createReservedKeyError(path)
  return newTree
}

/** Returns the value without the tree at a path below it. Throws CONFIG_INVALID. */
export function withoutTreeAt(value: StoredConfigValue, path: ConfigPath): StoredConfigValue {
  const [, ...subpath] = path
  const newTree = removeAt(value, subpath, path)
  if (!isContainer(newTree)) throw createReservedKeyError(path)
  return newTree
}

/**
 * Converts a text that looks like a boolean or an integer of 64 bits. Returns any other text
 * unchanged. Only values that are set through a path are converted.
 */
export function coerceText(text: string): ConfigTree {
  if (text === 'true') return true
  if (text === 'false') return false
  if ((text.length > 1 && text.startsWith('0')) || !/^[+-]?\d+$/.test(text)) return text
  const integer = BigInt(text.replace('+', ''))
  if (integer > 0xffffffffffffffffn || integer < -0x8000000000000000n) return text
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : integer
}

/** The value that `putAt` sets, and the whole path of that value, for errors. */
interface PutInput {
  readonly leaf: ConfigTree
  readonly fullPath: ConfigPath
}

function putAt(
  tree: ConfigTree | undefined,
  path: readonly (string | number)[],
  input: PutInput,
): ConfigTree {
  const [segment, ...subpath] = path
  if (segment === undefined) return input.leaf
  const container = tree ?? (typeof segment === 'number' ? [] : new Map<string, ConfigTree>())
  if (isTreeMap(container)) {
    if (typeof segment !== 'string')
      throw createPathError(input.fullPath, 'a map needs a name here')
    const newMap = new Map(container).set(segment, putAt(container.get(segment), subpath, input))
    return requireUnreserved(newMap, input.fullPath)
  }
  if (!isTreeList(container))
    throw createPathError(
      input.fullPath,
      `expected a ${typeof segment === 'number' ? 'list' : 'map'}`,
    )
  if (typeof segment !== 'number')
    throw createPathError(input.fullPath, 'a list needs a number here')
  if (segment < 0 || segment > container.length)
    throw createPathError(input.fullPath, `the list has ${container.length} items`)
  return container.toSpliced(segment, 1, putAt(container[segment], subpath, input))
}

function removeAt(
  tree: ConfigTree | undefined,
  path: readonly (string | number)[],
  fullPath: ConfigPath,
): ConfigTree {
  const [segment, ...subpath] = path
  if (
    segment !== undefined &&
    isTreeMap(tree) &&
    typeof segment === 'string' &&
    tree.has(segment)
  ) {
    const newMap = new Map(tree)
    if (subpath.length === 0) newMap.delete(segment)
    else newMap.set(segment, removeAt(tree.get(segment), subpath, fullPath))
    return requireUnreserved(newMap, fullPath)
  }
  if (isTreeList(tree) && typeof segment === 'number' && segment >= 0 && segment < tree.length)
    return subpath.length === 0
      ? tree.toSpliced(segment, 1)
      : tree.toSpliced(segment, 1, removeAt(tree[segment], subpath, fullPath))
  return tree ?? null
}

function requireUnreserved(map: ReadonlyMap<string, ConfigTree>, fullPath: ConfigPath): ConfigTree {
  if (map.size === 1 && typeof map.get('secure') === 'string')
    throw createReservedKeyError(fullPath)
  return map
}

function createReservedKeyError(path: ConfigPath): Error {
  return createPathError(
    path,
    'a map with `secure` as its only key would be read as an encrypted value',
  )
}

function createPathError(path: ConfigPath, problem: string): Error {
  return createError('CONFIG_INVALID', `the path ${JSON.stringify(path)} is invalid: ${problem}`, {
    hint: pathHint,
  })
}

function segmentsOf(text: string): readonly (string | number)[] {
  const segments: (string | number)[] = []
  let remainingText = text
  while (remainingText !== '') {
    const quotedMatch = /^\["((?:[^"\\]|\\.)*)"\]/.exec(remainingText)
    const indexMatch = /^\[(\d+)\]/.exec(remainingText)
    const nameMatch = (segments.length === 0 ? /^()([^.[]+)/ : /^(\.)([^.[]+)/).exec(remainingText)
    if (quotedMatch) segments.push((quotedMatch[1] ?? '').replace(/\\"/g, '"'))
    else if (indexMatch) segments.push(Number(indexMatch[1]))
    else if (nameMatch) segments.push(nameMatch[2] ?? '')
    else
      throw createError('CONFIG_INVALID', `'${text}' is not a path of a configuration value`, {
        hint: pathHint,
      })
    remainingText = remainingText.slice((quotedMatch ?? indexMatch ?? nameMatch)?.[0].length)
  }
  return segments
}
