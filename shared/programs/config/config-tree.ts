/**
 * An encrypted value of a configuration file. Its text is the ciphertext of the secrets manager.
 */
export interface SecureValue {
  readonly kind: 'secure'
  readonly ciphertext: string
}

/** A plain configuration value that is no map or list. */
export type ConfigScalar = boolean | number | bigint | string

/** A configuration value at any level: JSON whose leaves may be encrypted. */
export type ConfigTree =
  | null
  | boolean
  | number
  | bigint
  | string
  | SecureValue
  | readonly ConfigTree[]
  | ReadonlyMap<string, ConfigTree>

/**
 * The value of a configuration key in a stack file. A scalar is a text at this level, but keeps its
 * type inside maps and lists. Source: docs/spec/configuration.md#stack-file.
 */
export type StoredConfigValue =
  | string
  | SecureValue
  | readonly ConfigTree[]
  | ReadonlyMap<string, ConfigTree>

/** Reports whether a tree is an encrypted leaf. */
export function isSecure(tree: ConfigTree | undefined): tree is SecureValue {
  return isPlainObject(tree) && 'kind' in tree
}

/** Reports whether a tree is a list. */
export function isTreeList(tree: ConfigTree | undefined): tree is readonly ConfigTree[] {
  return Array.isArray(tree)
}

/** Reports whether a tree is a map. */
export function isTreeMap(tree: ConfigTree | undefined): tree is ReadonlyMap<string, ConfigTree> {
  return tree instanceof Map
}

/** Reports whether a value is a map or list. */
export function isContainer(
  tree: ConfigTree | undefined,
): tree is readonly ConfigTree[] | ReadonlyMap<string, ConfigTree> {
  return isTreeList(tree) || isTreeMap(tree)
}

/** Reports whether a tree contains an encrypted leaf. */
export function hasSecure(tree: ConfigTree): boolean {
  if (isSecure(tree)) return true
  if (isTreeList(tree)) return tree.some(hasSecure)
  return isTreeMap(tree) && [...tree.values()].some(hasSecure)
}

/** Returns the ciphertexts of the encrypted leaves. */
export function listSecure(tree: ConfigTree): readonly string[] {
  if (isSecure(tree)) return [tree.ciphertext]
  if (isTreeList(tree)) return tree.flatMap(listSecure)
  return isTreeMap(tree) ? [...tree.values()].flatMap(listSecure) : []
}

/** Returns a copy in which `replace` converts the ciphertext of each encrypted leaf. */
export function replaceSecure(
  tree: ConfigTree,
  replace: (ciphertext: string) => ConfigTree,
): ConfigTree {
  if (isSecure(tree)) return replace(tree.ciphertext)
  if (isTreeList(tree)) return tree.map(item => replaceSecure(item, replace))
  if (isTreeMap(tree))
    return new Map([...tree].map(([key, item]) => [key, replaceSecure(item, replace)]))
  return tree
}

/**
 * Converts plain JSON or YAML data to a tree. A map with a text at its only key `secure` is an
 * encrypted leaf.
 */
export function toConfigTree(value: unknown): ConfigTree {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return value.map(toConfigTree)
  if (value instanceof Map) return toMapTree([...value].map(([key, item]) => [String(key), item]))
  switch (typeof value) {
    case 'boolean':
    case 'number':
    case 'string':
      return value
    case 'bigint':
      return toExactNumber(value)
    case 'object':
      return toMapTree(Object.entries(value))
    default:
      throw new TypeError(`configuration cannot hold a ${typeof value}`)
  }
}

function toMapTree(entries: readonly (readonly [string, unknown])[]): ConfigTree {
  const [firstEntry] = entries
  if (entries.length === 1 && firstEntry?.[0] === 'secure' && typeof firstEntry[1] === 'string')
    return { kind: 'secure', ciphertext: firstEntry[1] }
  return new Map(entries.map(([key, item]) => [key, toConfigTree(item)]))
}

/**
 * Formats a tree as JSON like Pulumi: keys sorted, `<`, `>` and `&` escaped. The text
 * becomes an input of default providers and is stored in states. Encrypted leaves are formatted as
 * `{"secure":"…"}`.
 */
export function formatConfigTree(tree: ConfigTree): string {
  if (isSecure(tree)) return `{"secure":${formatJsonText(tree.ciphertext)}}`
  if (isTreeList(tree)) return `[${tree.map(formatConfigTree).join(',')}]`
  if (isTreeMap(tree)) {
    const keys = [...tree.keys()].toSorted()
    return `{${keys.map(key => `${formatJsonText(key)}:${formatConfigTree(tree.get(key) ?? null)}`).join(',')}}`
  }
  return typeof tree === 'string'
    ? formatJsonText(tree)
    : typeof tree === 'bigint'
      ? `${tree}`
      : JSON.stringify(tree)
}

/**
 * Parses the JSON of a tree. Integers keep their digits. Returns undefined for invalid JSON.
 */
export function parseConfigTree(text: string): ConfigTree | undefined {
  try {
    return toConfigTree(JSON.parse(text, keepDigits))
  } catch {
    return undefined
  }
}

/**
 * A reviver for `JSON.parse` that returns unsafe integers as bigint. `context` has the text of a
 * number.
 */
export function keepDigits(
  _key: string,
  value: unknown,
  context?: { readonly source: string },
): unknown {
  const source = context?.source ?? ''
  return typeof value === 'number' && /^-?\d+$/.test(source) ? toExactNumber(BigInt(source)) : value
}

/** Returns a tree in which integers that JSON readers would round are texts with all digits. */
export function formatLargeIntegers(tree: ConfigTree): ConfigTree {
  if (typeof tree === 'bigint') return String(tree)
  if (isTreeList(tree)) return tree.map(formatLargeIntegers)
  if (isTreeMap(tree))
    return new Map([...tree].map(([key, item]) => [key, formatLargeIntegers(item)]))
  return tree
}

/** Converts a tree to the value of a configuration key. A scalar becomes a text. */
export function toStoredConfigValue(tree: ConfigTree): StoredConfigValue {
  return isSecure(tree) || isContainer(tree) ? tree : formatScalar(tree)
}

/** Formats a scalar as the text value of a configuration key. Null becomes ''. */
function formatScalar(scalar: null | boolean | number | bigint | string): string {
  return scalar === null ? '' : String(scalar)
}

/** Converts an integer to a number, unless the number would lose digits. */
export function toExactNumber(integer: bigint): number | bigint {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : integer
}

function formatJsonText(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function isPlainObject(tree: unknown): tree is object {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree) && !(tree instanceof Map)
}
