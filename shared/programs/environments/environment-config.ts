import { formatConfigKey, parseConfigKey } from '../config/config-key.ts'
import {
  type ConfigTree,
  isTreeMap,
  toConfigTree,
  toStoredConfigValue,
  type StoredConfigValue,
} from '../config/config-tree.ts'
import { type EnvironmentValue, fieldsOf, listItemsOf, textOfValue } from './environment-value.ts'

/** The project of a configuration, and the encryption of the stack for secrets. */
export interface EnvironmentConfigOptions {
  readonly project: string
  readonly encrypt: (text: string) => string
}

/**
 * Merges the values of a stack file with those of `pulumiConfig` in its environment. The stack file
 * takes precedence, and maps are merged field by field. Secrets of the environment are encrypted
 * like those of the stack. Throws CONFIG_INVALID for an invalid key.
 */
export function withEnvironmentConfig(
  values: ReadonlyMap<string, StoredConfigValue>,
  environment: EnvironmentValue,
  options: EnvironmentConfigOptions,
): ReadonlyMap<string, StoredConfigValue> {
  const config = fieldsOf(fieldsOf(environment)?.get('pulumiConfig'))
  if (config === undefined) return values
  const merged = new Map<string, StoredConfigValue>()
  for (const [name, value] of config) {
    const tree = toConfigTreeOf(value, options, false)
    const key = formatConfigKey(parseConfigKey(name, options.project))
    merged.set(key, toStoredConfigValue(tree))
  }
  for (const [key, value] of values) merged.set(key, mergeTrees(merged.get(key), value))
  return merged
}

/** Returns the variables of `environmentVariables`, each as a text. */
export function variablesOfEnvironment(environment: EnvironmentValue): ReadonlyMap<string, string> {
  return readTexts(environment, 'environmentVariables')
}

/** Returns the contents of `files`, by the variables that receive the paths of the files. */
export function filesOfEnvironment(environment: EnvironmentValue): ReadonlyMap<string, string> {
  return readTexts(environment, 'files')
}

function readTexts(environment: EnvironmentValue, field: string): ReadonlyMap<string, string> {
  const texts = fieldsOf(fieldsOf(environment)?.get(field)) ?? new Map<string, EnvironmentValue>()
  return new Map([...texts].map(([name, value]) => [name, textOfValue(value)]))
}

function toConfigTreeOf(
  value: EnvironmentValue,
  options: EnvironmentConfigOptions,
  isInSecret: boolean,
): ConfigTree {
  const isSecret = isInSecret || value.isSecret
  const [items, fields] = [listItemsOf(value), fieldsOf(value)]
  if (items !== undefined) return items.map(item => toConfigTreeOf(item, options, isSecret))
  if (fields !== undefined)
    return new Map([...fields].map(([key, item]) => [key, toConfigTreeOf(item, options, isSecret)]))
  const { content } = value
  if (isSecret && content !== null)
    return { kind: 'secure', ciphertext: options.encrypt(textOfValue(value)) }
  return toConfigTree(typeof content === 'object' ? null : content)
}

/** Merges two values: maps field by field, and otherwise `next` replaces `base`. */
function mergeTrees<T extends ConfigTree>(
  base: ConfigTree | undefined,
  next: T,
): T | ReadonlyMap<string, ConfigTree> {
  // TypeScript narrows the wider type `ConfigTree`, but not the type parameter.
  const nextTree: ConfigTree = next
  if (!isTreeMap(base) || !isTreeMap(nextTree)) return next
  const merged = new Map(base)
  for (const [key, item] of nextTree) merged.set(key, mergeTrees(base.get(key), item))
  return merged
}
