import { error } from '../../errors/error.ts'

/** `ns:name`: the key of a configuration value. The name is a path where `--path` was given. */
export interface ConfigKey {
  readonly namespace: string
  readonly name: string
}

/**
 * Reads a key: a bare name belongs to the project; `ns:config:name` is the old spelling of
 * `ns:name`. Throws CONFIG_INVALID.
 */
export function parseConfigKey(text: string, project: string): ConfigKey {
  const parts = text.split(':')
  const [first = '', second = '', third = ''] = parts
  if (parts.length === 1 && first !== '') return { namespace: project, name: first }
  if (parts.length === 2 && second !== '') return { namespace: first, name: second }
  if (parts.length === 3 && second === 'config' && third !== '')
    return { namespace: first, name: third }
  throw error('CONFIG_INVALID', `'${text}' is not a configuration key`, {
    hint: 'Use <name> or <namespace>:<name>.',
  })
}

/** The full spelling of a key. */
export function printConfigKey(key: ConfigKey): string {
  return `${key.namespace}:${key.name}`
}

/** Order of keys in files and lists: by namespace, then name. */
export function compareConfigKeys(left: string, right: string): number {
  const [leftNamespace = '', leftName = ''] = left.split(':')
  const [rightNamespace = '', rightName = ''] = right.split(':')
  return compare(leftNamespace, rightNamespace) || compare(leftName, rightName)
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
