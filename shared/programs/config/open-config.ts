import { createError, hasCode } from '../../errors/error.ts'
import { parseConfigKey, formatConfigKey } from './config-key.ts'
import { parseConfigPath, getTreeAt, withTreeAt } from './config-path.ts'
import {
  hasSecure,
  isContainer,
  isSecure,
  formatConfigTree,
  replaceSecure,
  type ConfigTree,
  type StoredConfigValue,
} from './config-tree.ts'
import { isOfType, formatTypeName } from '../project/project-config.ts'
import type { Project, ProjectConfigEntry } from '../project/project.ts'

/** A decrypted value of the stack's configuration. */
export interface ConfigValue {
  /** The value. A map or list is its JSON. */
  readonly text: string
  readonly isSecret: boolean
  /** Whether the value is a map or list. */
  readonly isObject: boolean
  /** The decrypted leaves of a secret map or list, to redact each of them in messages. */
  readonly secretTexts?: readonly string[]
}

/** The input of `openConfig`. */
export interface ConfigSources {
  readonly project: Project
  /** The stack's name, used in messages. */
  readonly stack: string
  /** The values of the stack file. */
  readonly values: ReadonlyMap<string, StoredConfigValue>
  /**
   * Whether the values of the keys in the project file are checked. Each key in the project's own
   * namespace must have a value. The value of a key with a type must fit the type and the field
   * `secret`. Defaults are always applied.
   */
  readonly isStrict: boolean
  /** Decrypts a ciphertext; throws SECRETS_MALFORMED. Called for secrets only. */
  readonly decrypt: (ciphertext: string) => string
}

/**
 * Returns the configuration of a deployment, with the project's defaults and decrypted secrets
 * (docs/spec/configuration.md#project-config-applied-to-stacks). Throws CONFIG_MISSING,
 * CONFIG_INVALID and the errors of `decrypt`.
 */
export function openConfig(sources: ConfigSources): ReadonlyMap<string, ConfigValue> {
  const { values, missingKeys } = withProjectDefaults(sources.project, sources.values)
  if (sources.isStrict && missingKeys.length > 0)
    throw createError(
      'CONFIG_MISSING',
      `the stack '${sources.stack}' has no configuration value for ${missingKeys.map(key => `'${key}'`).join(', ')}`,
    )
  const checkedEntries = sources.isStrict ? sources.project.config : []
  for (const entry of checkedEntries) checkType(sources, entry, values)
  return new Map(
    [...values].map(([key, value]) => [
      key,
      openConfigValue(value, withConfigKey(sources.decrypt, key)),
    ]),
  )
}

/** Returns a function that decrypts secrets of a key. Its error names the key. */
export function withConfigKey(
  decrypt: (ciphertext: string) => string,
  key: string,
): (ciphertext: string) => string {
  return ciphertext => {
    try {
      return decrypt(ciphertext)
    } catch (thrown) {
      if (!hasCode(thrown, 'SECRETS_MALFORMED')) throw thrown
      throw createError(
        'SECRETS_MALFORMED',
        `cannot decrypt the configuration value '${key}': ${thrown.message}`,
        {
          cause: thrown,
          hint: `Set the value again with \`antichain config set --secret ${key}\`.`,
        },
      )
    }
  }
}

/** Decrypts the secrets of one value. */
export function openConfigValue(
  value: StoredConfigValue,
  decrypt: (ciphertext: string) => string,
): ConfigValue {
  if (typeof value === 'string') return { text: value, isSecret: false, isObject: false }
  if (isSecure(value)) return { text: decrypt(value.ciphertext), isSecret: true, isObject: false }
  const secretTexts: string[] = []
  const openedTree = replaceSecure(value, ciphertext => {
    const secretText = decrypt(ciphertext)
    secretTexts.push(secretText)
    return secretText
  })
  const openedValue = { text: formatConfigTree(openedTree), isObject: true }
  return secretTexts.length === 0
    ? { ...openedValue, isSecret: false }
    : { ...openedValue, isSecret: true, secretTexts }
}

/**
 * Adds the project's defaults to the stack's values. `missingKeys`: the keys in the project's own
 * namespace without any value.
 */
export function withProjectDefaults(
  project: Project,
  values: ReadonlyMap<string, StoredConfigValue>,
): {
  readonly values: ReadonlyMap<string, StoredConfigValue>
  readonly missingKeys: readonly string[]
} {
  const mergedValues = new Map(values)
  const missingKeys: string[] = []
  for (const entry of project.config) {
    const location = locateEntry(project, entry)
    if (getTreeAt(mergedValues.get(location.key), location.subpath) !== undefined) continue
    if (entry.value !== undefined)
      mergedValues.set(location.key, withDefault(mergedValues, location, entry.value))
    else if (location.namespace === project.name) missingKeys.push(entry.key)
  }
  return { values: mergedValues, missingKeys }
}

interface ConfigLocation {
  readonly namespace: string
  /** The key of the value, `ns:name`. */
  readonly key: string
  readonly path: readonly [string, ...(readonly (string | number)[])]
  readonly subpath: readonly (string | number)[]
}

function locateEntry(project: Project, entry: ProjectConfigEntry): ConfigLocation {
  const { namespace, name } = parseConfigKey(entry.key, project.name)
  const path = parseConfigPath(name)
  const [first, ...subpath] = path
  return { namespace, key: formatConfigKey({ namespace, name: first }), path, subpath }
}

function withDefault(
  values: ReadonlyMap<string, StoredConfigValue>,
  location: ConfigLocation,
  defaultValue: ConfigTree,
): StoredConfigValue {
  if (location.subpath.length > 0)
    return withTreeAt(values.get(location.key), location.path, defaultValue)
  return isSecure(defaultValue) || isContainer(defaultValue) ? defaultValue : String(defaultValue)
}

function checkType(
  sources: ConfigSources,
  entry: ProjectConfigEntry,
  values: ReadonlyMap<string, StoredConfigValue>,
): void {
  if (entry.type === undefined) return
  const { project, stack } = sources
  const location = locateEntry(project, entry)
  const value = getTreeAt(values.get(location.key), location.subpath)
  if (value === undefined) return
  const subject = `the configuration value '${entry.key}' of stack '${stack}'`
  if (entry.isSecret && !hasSecure(value))
    throw createError(
      'CONFIG_INVALID',
      `${subject} must be encrypted: the project declares it as secret`,
      {
        hint: `Set the value again with \`antichain config set --secret ${entry.key}\`.`,
      },
    )
  const openedValue = replaceSecure(value, withConfigKey(sources.decrypt, location.key))
  if (!isOfType(entry.type, openedValue))
    throw createError(
      'CONFIG_INVALID',
      `${subject} must be of type ${formatTypeName(entry.type)}`,
      {
        hint: `Set a value of this type with \`antichain config set ${entry.key} <value>\`.`,
      },
    )
}
