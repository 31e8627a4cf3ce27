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
  type ConfigTree,
  isContainer,
  isSecure,
  type SecureValue,
  type StoredConfigValue,
  formatScalar,
} from '../../shared/programs/config/config-tree.ts'
import type { StackConfig } from '../../shared/programs/config/stack-config.ts'

/** A configuration key of the command line. `path` starts with the name in `key`. */
export interface EditKey {
  /** The key of the value, as `ns:name`. */
  readonly key: string
  readonly path: ConfigPath
}

/**
 * Parses a key. If `isPath` is set, the text after the namespace is a path into the value. Throws
 * CONFIG_INVALID.
 */
export function parseConfigEditKey(text: string, project: string, isPath: boolean): EditKey {
  if (!isPath) {
    const { namespace, name } = parseConfigKey(text, project)
    return { key: formatConfigKey({ namespace, name }), path: [name] }
  }
  // Only a colon before the first bracket, dot or quote can end a namespace.
  const namespacePrefix = /^[^[".]*?:/.exec(text)?.[0] ?? ''
  const path = parseConfigPath(text.slice(namespacePrefix.length))
  const { namespace } = parseConfigKey(`${namespacePrefix}x`, project)
  return { key: formatConfigKey({ namespace, name: path[0] }), path }
}

/**
 * Sets a text or an encrypted value. Below the first level, `coerceText` converts a text that reads
 * as a boolean or integer.
 */
export function putConfigValue(file: StackConfig, key: EditKey, value: string | SecureValue): void {
  if (key.path.length === 1) return file.set(key.key, value)
  const leaf: ConfigTree = typeof value === 'string' ? coerceText(value) : value
  file.set(key.key, withTreeAt(file.getValues().get(key.key), key.path, leaf))
}

/** Removes a value. Returns false if it did not exist. */
export function removeConfigValue(file: StackConfig, key: EditKey): boolean {
  const value = file.getValues().get(key.key)
  if (value === undefined) return false
  if (key.path.length === 1) return file.remove(key.key)
  if (getTreeAt(value, key.path.slice(1)) === undefined) return false
  file.set(key.key, withoutTreeAt(value, key.path))
  return true
}

/** Returns the value of a key. Returns undefined if it does not exist. Scalars become texts. */
export function findConfigValue(
  values: ReadonlyMap<string, StoredConfigValue>,
  key: EditKey,
): StoredConfigValue | undefined {
  const tree = getTreeAt(values.get(key.key), key.path.slice(1))
  if (tree === undefined) return undefined
  return isSecure(tree) || isContainer(tree) ? tree : formatScalar(tree)
}
