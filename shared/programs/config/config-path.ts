import { error } from '../../errors/error.ts'
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
  const [first, ...rest] = segmentsOf(text)
  if (typeof first !== 'string' || first === '')
    throw error('CONFIG_INVALID', `'${text}' is not a path: it must begin with the name of a key`, {
      hint: pathHint,
    })
  return [first, ...rest]
}

/** Returns the tree at a path below a value, or undefined when it does not exist. */
export function getTreeAt(
  value: ConfigTree | undefined,
  path: readonly (string | number)[],
): ConfigTree | undefined {
  const [step, ...rest] = path
  if (step === undefined || value === undefined) return value
  if (isTreeMap(value) && typeof step === 'string') return getTreeAt(value.get(step), rest)
  if (isTreeList(value) && typeof step === 'number') return getTreeAt(value[step], rest)
  return undefined
}

/**
 * Returns the value with `leaf` at a path below it (docs/spec/configuration.md#path-keys). It
 * creates missing containers, replaces a scalar at the first level, and extends lists by one item
 * at most. Throws CONFIG_INVALID.
 */
export function withTreeAt(
  value: StoredConfigValue | undefined,
  path: ConfigPath,
  leaf: ConfigTree,
): StoredConfigValue {
  const [, ...below] = path
  const changed = putAt(isContainer(value) ? value : undefined, below, { leaf, whole: path })
  if (!isContainer(changed)) throw reservedKeyError(path)
  return changed
}

/** Returns the value without the tree at a path below it. Throws CONFIG_INVALID. */
export function withoutTreeAt(value: StoredConfigValue, path: ConfigPath): StoredConfigValue {
  const [, ...below] = path
  const changed = removeAt(value, below, path)
  if (!isContainer(changed)) throw reservedKeyError(path)
  return changed
}

/**
 * Converts a text that reads as a boolean or integer. Applies only to values set through a path.
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

interface PutInput {
  readonly leaf: ConfigTree
  readonly whole: ConfigPath
}

function putAt(
  tree: ConfigTree | undefined,
  path: readonly (string | number)[],
  input: PutInput,
): ConfigTree {
  const [step, ...rest] = path
  if (step === undefined) return input.leaf
  const container = tree ?? (typeof step === 'number' ? [] : new Map<string, ConfigTree>())
  if (isTreeMap(container)) {
    if (typeof step !== 'string') throw pathError(input.whole, 'a map needs a name here')
    const changed = new Map(container).set(step, putAt(container.get(step), rest, input))
    return requireUnreserved(changed, input.whole)
  }
  if (!isTreeList(container))
    throw pathError(input.whole, `expected a ${typeof step === 'number' ? 'list' : 'map'}`)
  if (typeof step !== 'number') throw pathError(input.whole, 'a list needs a number here')
  if (step < 0 || step > container.length)
    throw pathError(input.whole, `the list has ${container.length} items`)
  return container.toSpliced(step, 1, putAt(container[step], rest, input))
}

function removeAt(
  tree: ConfigTree | undefined,
  path: readonly (string | number)[],
  whole: ConfigPath,
): ConfigTree {
  const [step, ...rest] = path
  if (step !== undefined && isTreeMap(tree) && typeof step === 'string' && tree.has(step)) {
    const changed = new Map(tree)
    if (rest.length === 0) changed.delete(step)
    else changed.set(step, removeAt(tree.get(step), rest, whole))
    return requireUnreserved(changed, whole)
  }
  if (isTreeList(tree) && typeof step === 'number' && step >= 0 && step < tree.length)
    return rest.length === 0
      ? tree.toSpliced(step, 1)
      : tree.toSpliced(step, 1, removeAt(tree[step], rest, whole))
  return tree ?? null
}

function requireUnreserved(map: ReadonlyMap<string, ConfigTree>, whole: ConfigPath): ConfigTree {
  if (map.size === 1 && typeof map.get('secure') === 'string') throw reservedKeyError(whole)
  return map
}

function reservedKeyError(path: ConfigPath): Error {
  return pathError(path, 'a map with `secure` as its only key would be read as an encrypted value')
}

function pathError(path: ConfigPath, sentence: string): Error {
  return error('CONFIG_INVALID', `the path ${JSON.stringify(path)} is invalid: ${sentence}`, {
    hint: pathHint,
  })
}

function segmentsOf(text: string): readonly (string | number)[] {
  const segments: (string | number)[] = []
  let rest = text
  while (rest !== '') {
    const quoted = /^\["((?:[^"\\]|\\.)*)"\]/.exec(rest)
    const numbered = /^\[(\d+)\]/.exec(rest)
    const bare = (segments.length === 0 ? /^()([^.[]+)/ : /^(\.)([^.[]+)/).exec(rest)
    if (quoted) segments.push((quoted[1] ?? '').replace(/\\"/g, '"'))
    else if (numbered) segments.push(Number(numbered[1]))
    else if (bare) segments.push(bare[2] ?? '')
    else
      throw error('CONFIG_INVALID', `'${text}' is not a path of a configuration value`, {
        hint: pathHint,
      })
    rest = rest.slice((quoted ?? numbered ?? bare)?.[0].length)
  }
  return segments
}
