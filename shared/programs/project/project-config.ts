import {
  isSecure,
  isTreeList,
  isTreeMap,
  toConfigTree,
  type ConfigTree,
} from '../config/config-tree.ts'
import type { ConfigType, ProjectConfigEntry } from './project.ts'
import type { YamlSource } from './yaml-source.ts'

/**
 * Reads the entries of `config:` in a project file (docs/spec/configuration.md#project-file),
 * sorted by key. A bare scalar or list is the `default` of a project key, or the `value` of a key
 * in another namespace. Throws PROJECT_INVALID.
 */
export function readProjectConfig(
  source: YamlSource,
  project: string,
): readonly ProjectConfigEntry[] {
  const fileTree = toConfigTree(source.document.toJS({ mapAsMap: true }))
  const entries = isTreeMap(fileTree) ? fileTree.get('config') : undefined
  if (entries === undefined || entries === null) return []
  if (!isTreeMap(entries)) throw source.errorAt(['config'], '`config` must be a map')
  const keys = [...entries.keys()].toSorted()
  return keys.map(key => readEntry(source, { project, key, declaration: entries.get(key) ?? null }))
}

/** Reports whether a value is of a type. Texts that read as integers or booleans count as such. */
export function isOfType(type: ConfigType, value: ConfigTree): boolean {
  switch (type.name) {
    case 'string':
      return typeof value === 'string'
    case 'integer':
      if (typeof value === 'string') return /^[+-]?\d+$/.test(value)
      return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))
    case 'boolean':
      return typeof value === 'boolean' || value === 'true' || value === 'false'
    case 'object':
      return isTreeMap(value)
    case 'array':
      return isTreeList(value) && value.every(item => isOfType(type.items, item))
  }
}

/** Returns the name of a type for messages: `array<string>`. */
export function formatTypeName(type: ConfigType): string {
  return type.name === 'array' ? `array<${formatTypeName(type.items)}>` : type.name
}

interface ConfigEntryInput {
  readonly project: string
  readonly key: string
  readonly declaration: ConfigTree
}

function readEntry(
  source: YamlSource,
  { project, key, declaration }: ConfigEntryInput,
): ProjectConfigEntry {
  const path = ['config', key]
  const isProjectKey = !key.includes(':') || key.startsWith(`${project}:`)
  if (!isTreeMap(declaration)) {
    requireBareValue(source, path, declaration)
    return { key, type: undefined, value: declaration ?? undefined, isSecret: false }
  }
  requireKnownFields(source, path, declaration)
  const defaultValue = declaration.get('default') ?? undefined
  const value = declaration.get('value') ?? undefined
  if (defaultValue !== undefined && value !== undefined)
    throw source.errorAt(path, `the configuration key '${key}' has both \`default\` and \`value\``)
  const type = readType(source, path, declaration)
  if (isProjectKey) {
    if (type !== undefined && defaultValue !== undefined && !isOfType(type, defaultValue))
      throw source.errorAt(
        [...path, 'default'],
        `the default of the configuration key '${key}' is not of type ${formatTypeName(type)}`,
      )
  } else if (type !== undefined || defaultValue !== undefined || value === undefined) {
    throw source.errorAt(
      path,
      `the configuration key '${key}' belongs to another namespace: use \`value\` instead of \`type\` and \`default\``,
    )
  }
  return { key, type, value: defaultValue ?? value, isSecret: declaration.get('secret') === true }
}

/** Throws PROJECT_INVALID for a bare value that is no text, integer, boolean or list. */
function requireBareValue(source: YamlSource, path: readonly string[], value: ConfigTree): void {
  if (value === null)
    throw source.errorAt(path, `the configuration key '${path[1]}' has neither a type nor a value`)
  if (isSecure(value))
    throw source.errorAt(
      path,
      `the configuration key '${path[1]}' cannot be encrypted here: set it with \`config set --secret\``,
    )
  if (typeof value === 'number' && !Number.isInteger(value))
    throw source.errorAt(path, `the value of the configuration key '${path[1]}' must be quoted`)
}

/** The fields of a declaration, each with a check of its value. */
const declarationFields = new Map<string, (value: ConfigTree) => boolean>([
  ['type', () => true],
  ['items', isTreeMap],
  ['description', value => typeof value === 'string'],
  ['secret', value => typeof value === 'boolean'],
  ['default', () => true],
  ['value', () => true],
])

/** Throws PROJECT_INVALID for an unknown field, and for a field with a value of another type. */
function requireKnownFields(
  source: YamlSource,
  path: readonly string[],
  declaration: ReadonlyMap<string, ConfigTree>,
): void {
  for (const [name, value] of declaration) {
    const isValid = declarationFields.get(name)
    if (isValid === undefined)
      throw source.errorAt(
        [...path, name],
        `the configuration key '${path[1]}' has the unknown field \`${name}\`: use ${[...declarationFields.keys()].join(', ')}`,
      )
    if (!isValid(value))
      throw source.errorAt([...path, name], `\`${name}\` does not have the right type`)
  }
}

function readType(
  source: YamlSource,
  path: readonly string[],
  fields: ReadonlyMap<string, ConfigTree>,
): ConfigType | undefined {
  const name = fields.get('type') ?? undefined
  switch (name) {
    case undefined:
      return undefined
    case 'string':
    case 'integer':
    case 'boolean':
    case 'object':
      return { name }
    case 'array': {
      const items = fields.get('items')
      const type = isTreeMap(items) ? readType(source, [...path, 'items'], items) : undefined
      if (type === undefined)
        throw source.errorAt(path, 'a configuration key of type array needs `items` with a `type`')
      return { name, items: type }
    }
    default:
      throw source.errorAt(
        [...path, 'type'],
        '`type` must be string, integer, boolean, object or array',
      )
  }
}
