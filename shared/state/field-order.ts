import type { Json, StoredResource } from './stored.ts'

/**
 * The fields of a stored resource in the order in which they are written
 * (docs/spec/state-format.md#fields-of-a-resource).
 */
const fieldOrder: readonly string[] = [
  ...['urn', 'custom', 'delete', 'id', 'type', 'inputs', 'outputs', 'parent', 'protect', 'taint'],
  ...['external', 'dependencies', 'initErrors', 'provider', 'propertyDependencies'],
  ...['pendingReplacement', 'additionalSecretOutputs', 'aliases', 'customTimeouts', 'importID'],
  ...['retainOnDelete', 'deletedWith', 'replaceWith', 'created', 'modified', 'sourcePosition'],
  ...['stackTrace', 'ignoreChanges', 'hideDiff', 'replaceOnChanges', 'replacementTrigger'],
  ...['refreshBeforeUpdate', 'viewOf', 'resourceHooks', 'extensionRef', 'snippetID'],
]

const rankOf = new Map(fieldOrder.map((field, at) => [field, at]))

/** Returns the resource with changed fields, each at its position. Undefined removes a field. */
export function withFields(
  resource: StoredResource,
  changes: Readonly<Record<string, Json | undefined>>,
): StoredResource {
  const { urn, custom, type } = resource
  const rank = (field: string): number => rankOf.get(field) ?? fieldOrder.length
  const entries = Object.entries({ ...resource, ...changes }).filter(
    (entry): entry is [string, Json] => entry[1] !== undefined,
  )
  const sorted = Object.fromEntries(entries.sort(([a], [b]) => rank(a) - rank(b)))
  const renamed = changes['urn']
  return { ...sorted, urn: typeof renamed === 'string' ? renamed : urn, custom, type }
}

/** Returns the resource with a flag set, at its position. */
export function withFlag(resource: StoredResource, flag: string): StoredResource {
  return resource[flag] === true ? resource : withFields(resource, { [flag]: true })
}
