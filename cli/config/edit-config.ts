import { parseConfigKey, formatConfigKey } from '../../shared/programs/config/config-key.ts'
import {
  coerceText,
  type ConfigPath,
  parseConfigPath,
  getTreeAt,
  withoutTreeAt,
  withTreeAt,
} from '../../shared/programs/config/config-path.ts'
import {
  type ConfigScalar,
  type ConfigTree,
  type SecureValue,
  type StoredConfigValue,
  toStoredConfigValue,
} from '../../shared/programs/config/config-tree.ts'
import type { StackConfig } from '../../shared/programs/config/stack-config.ts'

/** A configuration key of the command line. `path` starts with the name in `fullKey`. */
export interface ConfigEditKey {
  /** The key of the value with its namespace, as `ns:name`. */
  readonly fullKey: string
  readonly path: ConfigPath
}

/**
 * Parses a key. If `isPath` is set, the text after the namespace is a path: a name, and then steps
 * into its value. Throws CONFIG_INVALID.
 */
export function parseConfigEditKey(text: string, project: string, isPath: boolean): ConfigEditKey {
  if (!isPath) {
    const { namespace, name } = parseConfigKey(text, project)
    return { fullKey: formatConfigKey({ namespace, name }), path: [name] }
  }
  // Only a colon before the first bracket, dot or quote can end a namespace.
  const namespacePrefix = /^[^[".]*?:/.exec(text)?.[0] ?? ''
  const path = parseConfigPath(text.slice(namespacePrefix.length))
  // A key needs a name, so `x` stands in for the path.
  const { namespace } = parseConfigKey(`${namespacePrefix}x`, project)
  return { fullKey: formatConfigKey({ namespace, name: path[0] }), path }
}

/**
 * Sets a text, an encrypted value or a scalar. Below the first level, `coerceText` converts a text
 * that reads as a boolean or integer.
 */
export function putConfigValue(
  file: StackConfig,
  editKey: ConfigEditKey,
  value: string | SecureValue | { readonly scalar: ConfigScalar },
): void {
  const typedValue = typeof value === 'object' && 'scalar' in value ? value.scalar : value
  if (editKey.path.length === 1) return file.set(editKey.fullKey, typedValue)
  const leaf: ConfigTree = typeof value === 'string' ? coerceText(value) : typedValue
  file.set(editKey.fullKey, withTreeAt(file.getValues().get(editKey.fullKey), editKey.path, leaf))
}

/** Removes a value. Returns false if it did not exist. */
export function removeConfigValue(file: StackConfig, editKey: ConfigEditKey): boolean {
  const value = file.getValues().get(editKey.fullKey)
  if (value === undefined) return false
  if (editKey.path.length === 1) return file.remove(editKey.fullKey)
  if (getTreeAt(value, editKey.path.slice(1)) === undefined) return false
  file.set(editKey.fullKey, withoutTreeAt(value, editKey.path))
  return true
}

/** Returns the value of a key. Returns undefined if it does not exist. Scalars become texts. */
export function findConfigValue(
  values: ReadonlyMap<string, StoredConfigValue>,
  editKey: ConfigEditKey,
): StoredConfigValue | undefined {
  const tree = getTreeAt(values.get(editKey.fullKey), editKey.path.slice(1))
  if (tree === undefined) return undefined
  return toStoredConfigValue(tree)
}
