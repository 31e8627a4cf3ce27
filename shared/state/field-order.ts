import type { StoredResource } from './stored.ts'

/** The fields of a stored resource in the order in which they are written (`state.md` 1.5). */
const fieldOrder: readonly string[] = [
  ...['urn', 'custom', 'delete', 'id', 'type', 'inputs', 'outputs', 'parent', 'protect', 'taint'],
  ...['external', 'dependencies', 'initErrors', 'provider', 'propertyDependencies'],
  ...['pendingReplacement', 'additionalSecretOutputs', 'aliases', 'customTimeouts', 'importID'],
  ...['retainOnDelete', 'deletedWith', 'replaceWith', 'created', 'modified', 'sourcePosition'],
  ...['stackTrace', 'ignoreChanges', 'hideDiff', 'replaceOnChanges', 'replacementTrigger'],
  ...['refreshBeforeUpdate', 'viewOf', 'resourceHooks', 'extensionRef', 'snippetID'],
]

const rankOf = new Map(fieldOrder.map((field, at) => [field, at]))

/** The resource with a flag set, in its place among the fields. */
export function withFlag(resource: StoredResource, flag: string): StoredResource {
  if (resource[flag] === true) return resource
  const { urn, custom, type } = resource
  const rank = (field: string): number => rankOf.get(field) ?? fieldOrder.length
  const entries = Object.entries({ ...resource, [flag]: true })
  const sorted = entries.sort(([a], [b]) => rank(a) - rank(b))
  return { ...Object.fromEntries(sorted), urn, custom, type }
}
