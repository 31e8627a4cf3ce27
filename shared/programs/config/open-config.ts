import { error, hasCode } from '../../errors/error.ts'
import { parseConfigKey, printConfigKey } from './config-key.ts'
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

/**
 * A decrypted value of the stack's configuration. `object`: the text is the JSON of a map or list.
 */
export interface ConfigValue {
  readonly text: string
  readonly secret: boolean
  readonly object: boolean
}

/** The input of opening a configuration. */
export interface ConfigSources {
  readonly project: Project
  /** The stack's name, used in messages. */
  readonly stack: string
  /** The values of the stack file. */
  readonly values: ReadonlyMap<string, StoredConfigValue>
  /** Whether missing keys and wrong types are errors. Defaults are always applied. */
  readonly check: boolean
  /** Decrypts a ciphertext; throws SECRETS_MALFORMED. Called for secrets only. */
  readonly decrypt: (ciphertext: string) => string
}

/**
 * Returns the configuration of a deployment: project defaults applied, secrets decrypted, checked
 * against the project's types (docs/spec/configuration.md#project-config-applied-to-stacks). Throws
 * CONFIG_MISSING, CONFIG_INVALID and the errors of `decrypt`.
 */
export function openConfig(sources: ConfigSources): ReadonlyMap<string, ConfigValue> {
  const { values, missing } = withProjectDefaults(sources.project, sources.values)
  if (sources.check && missing.length > 0)
    throw error(
      'CONFIG_MISSING',
      `the stack '${sources.stack}' has no configuration value for ${missing.map(key => `'${key}'`).join(', ')}`,
    )
  const checked = sources.check ? sources.project.config : []
  for (const entry of checked) checkType(sources, entry, values)
  return new Map([...values].map(([key, value]) => [key, openNamed(key, value, sources.decrypt)]))
}

/** Opens a value, and names its key in a decryption error. */
function openNamed(
  key: string,
  value: StoredConfigValue,
  decrypt: (ciphertext: string) => string,
): ConfigValue {
  try {
    return openValue(value, decrypt)
  } catch (thrown) {
    if (!hasCode(thrown, 'SECRETS_MALFORMED')) throw thrown
    throw error(
      'SECRETS_MALFORMED',
      `cannot decrypt the configuration value '${key}': ${thrown.message}`,
      {
        cause: thrown,
        hint: `Set the value again with \`antichain config set --secret ${key}\`.`,
      },
    )
  }
}

/** Decrypts the secrets of one value. */
export function openValue(
  value: StoredConfigValue,
  decrypt: (ciphertext: string) => string,
): ConfigValue {
  if (typeof value === 'string') return { text: value, secret: false, object: false }
  if (isSecure(value)) return { text: decrypt(value.ciphertext), secret: true, object: false }
  const open = replaceSecure(value, decrypt)
  return { text: formatConfigTree(open), secret: hasSecure(value), object: true }
}

/**
 * Returns the stack's values completed by the project's defaults, and the keys without any value.
 */
export function withProjectDefaults(
  project: Project,
  values: ReadonlyMap<string, StoredConfigValue>,
): {
  readonly values: ReadonlyMap<string, StoredConfigValue>
  readonly missing: readonly string[]
} {
  const merged = new Map(values)
  const missing: string[] = []
  for (const entry of project.config) {
    const place = placeOf(project, entry)
    if (getTreeAt(merged.get(place.key), place.below) !== undefined) continue
    if (entry.value !== undefined) merged.set(place.key, withDefault(merged, place, entry.value))
    else if (place.namespace === project.name) missing.push(entry.key)
  }
  return { values: merged, missing }
}

interface Place {
  readonly namespace: string
  /** `ns:name` of the value. */
  readonly key: string
  readonly path: readonly [string, ...(readonly (string | number)[])]
  readonly below: readonly (string | number)[]
}

function placeOf(project: Project, entry: ProjectConfigEntry): Place {
  const { namespace, name } = parseConfigKey(entry.key, project.name)
  const path = parseConfigPath(name)
  const [first, ...below] = path
  return { namespace, key: printConfigKey({ namespace, name: first }), path, below }
}

function withDefault(
  values: ReadonlyMap<string, StoredConfigValue>,
  place: Place,
  fallback: ConfigTree,
): StoredConfigValue {
  if (place.below.length > 0) return withTreeAt(values.get(place.key), place.path, fallback)
  return isSecure(fallback) || isContainer(fallback) ? fallback : String(fallback)
}

function checkType(
  { project, stack, decrypt }: ConfigSources,
  entry: ProjectConfigEntry,
  values: ReadonlyMap<string, StoredConfigValue>,
): void {
  if (entry.type === undefined) return
  const place = placeOf(project, entry)
  const value = getTreeAt(values.get(place.key), place.below)
  if (value === undefined) return
  const subject = `the configuration value '${entry.key}' of stack '${stack}'`
  if (entry.secret && !hasSecure(value))
    throw error(
      'CONFIG_INVALID',
      `${subject} must be encrypted: the project declares it as secret`,
      {
        hint: `Set the value again with \`antichain config set --secret ${entry.key}\`.`,
      },
    )
  if (!isOfType(entry.type, replaceSecure(value, decrypt)))
    throw error('CONFIG_INVALID', `${subject} must be of type ${formatTypeName(entry.type)}`, {
      hint: `Set a value of this type with \`antichain config set ${entry.key} <value>\`.`,
    })
}
