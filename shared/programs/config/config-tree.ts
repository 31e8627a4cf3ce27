/** A value of a configuration file that is encrypted; its text is the manager's ciphertext. */
export interface Secure {
  readonly kind: 'secure'
  readonly ciphertext: string
}

/** A configuration value below the first level: JSON, with encrypted leaves. */
export type ConfigTree =
  | null
  | boolean
  | number
  | bigint
  | string
  | Secure
  | readonly ConfigTree[]
  | ReadonlyMap<string, ConfigTree>

/**
 * A configuration value as the stack file holds it; a scalar is a text here
 * (docs/spec/configuration.md#stack-file).
 */
export type StoredConfigValue =
  | string
  | Secure
  | readonly ConfigTree[]
  | ReadonlyMap<string, ConfigTree>

/** Whether a tree is an encrypted leaf. */
export function isSecure(tree: ConfigTree | undefined): tree is Secure {
  return isObject(tree) && 'kind' in tree
}

/** Whether a tree is a list. */
export function isTreeList(tree: ConfigTree | undefined): tree is readonly ConfigTree[] {
  return Array.isArray(tree)
}

/** Whether a tree is a map. */
export function isTreeMap(tree: ConfigTree | undefined): tree is ReadonlyMap<string, ConfigTree> {
  return tree instanceof Map
}

/** Whether a value is a map or list. */
export function isContainer(
  tree: ConfigTree | undefined,
): tree is readonly ConfigTree[] | ReadonlyMap<string, ConfigTree> {
  return isTreeList(tree) || isTreeMap(tree)
}

/** Whether there is an encrypted leaf in it. */
export function hasSecure(tree: ConfigTree): boolean {
  if (isSecure(tree)) return true
  if (isTreeList(tree)) return tree.some(hasSecure)
  return isTreeMap(tree) && [...tree.values()].some(hasSecure)
}

/** A copy whose encrypted leaves are replaced by what `leaf` makes of their ciphertext. */
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

/** The tree of plain JSON or YAML data; a map with the one key `secure` and a text is a leaf. */
export function toConfigTree(data: unknown): ConfigTree {
  if (data === null || data === undefined) return null
  if (Array.isArray(data)) return data.map(toConfigTree)
  if (data instanceof Map) return toMapTree([...data].map(([key, item]) => [String(key), item]))
  switch (typeof data) {
    case 'boolean':
    case 'number':
    case 'string':
      return data
    case 'bigint':
      return toExactNumber(data)
    case 'object':
      return toMapTree(Object.entries(data))
    default:
      throw new TypeError(`configuration cannot hold a ${typeof data}`)
  }
}

function toMapTree(entries: readonly (readonly [string, unknown])[]): ConfigTree {
  const [only] = entries
  if (entries.length === 1 && only?.[0] === 'secure' && typeof only[1] === 'string')
    return { kind: 'secure', ciphertext: only[1] }
  return new Map(entries.map(([key, item]) => [key, toConfigTree(item)]))
}

/**
 * JSON as Pulumi writes it for an object value: keys sorted, `<`, `>` and `&` escaped, because the
 * text becomes an input of default providers and is kept in states. Encrypted leaves are
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

/** A scalar as the text that a value of the first level is. */
export function formatScalar(scalar: null | boolean | number | bigint | string): string {
  return scalar === null ? '' : String(scalar)
}

function toExactNumber(integer: bigint): number | bigint {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : integer
}

function formatJsonText(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    found => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function isObject(tree: unknown): tree is object {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree) && !(tree instanceof Map)
}
