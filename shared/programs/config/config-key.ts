import { createError } from '../../errors/error.ts'

/** `ns:name`: the key of a configuration value. With `--path`, the name is a path. */
export interface ConfigKey {
  readonly namespace: string
  readonly name: string
}

/**
 * Parses a key. A bare name belongs to the project, and `ns:config:name` is the old spelling of
 * `ns:name`. Throws CONFIG_INVALID.
 */
export function parseConfigKey(text: string, project: string): ConfigKey {
  const parts = text.split(':')
  const [first = '', second = '', third = ''] = parts
  if (parts.length === 1 && first !== '') return { namespace: project, name: first }
  if (parts.length === 2 && second !== '') return { namespace: first, name: second }
  if (parts.length === 3 && second === 'config' && third !== '')
    return { namespace: first, name: third }
  throw createError('CONFIG_INVALID', `'${text}' is not a configuration key`, {
    hint: 'Write the key as <name> or <namespace>:<name>.',
  })
}

/** Returns the full spelling of a key. */
export function formatConfigKey(key: ConfigKey): string {
  return `${key.namespace}:${key.name}`
}

/** Compares two keys in their full spelling: by namespace, then by name. */
export function compareConfigKeys(left: string, right: string): number {
  const [leftNamespace = '', leftName = ''] = left.split(':')
  const [rightNamespace = '', rightName = ''] = right.split(':')
  return compareTexts(leftNamespace, rightNamespace) || compareTexts(leftName, rightName)
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
