import type { Json, StoredResource } from './stored.ts'

/**
 * The fields of a stored resource in the order in which they are written
 * (docs/spec/state-format.md#fields-of-a-resource).
 */
export const resourceFields: readonly string[] = [
  ...['urn', 'custom', 'delete', 'id', 'type', 'inputs', 'outputs', 'parent', 'protect', 'taint'],
  ...['external', 'dependencies', 'initErrors', 'provider', 'propertyDependencies'],
  ...['pendingReplacement', 'additionalSecretOutputs', 'aliases', 'customTimeouts', 'importID'],
  ...['retainOnDelete', 'deletedWith', 'replaceWith', 'created', 'modified', 'sourcePosition'],
  ...['stackTrace', 'ignoreChanges', 'hideDiff', 'replaceOnChanges', 'replacementTrigger'],
  ...['refreshBeforeUpdate', 'viewOf', 'resourceHooks', 'extensionRef', 'snippetID'],
]

const ranksByField = new Map(resourceFields.map((field, index) => [field, index]))

/**
 * Returns the resource with changed fields. All fields are in the order of writing. The value
 * undefined removes a field.
 */
export function withFields(
  resource: StoredResource,
  changes: Readonly<Record<string, Json | undefined>>,
): StoredResource {
  const { urn, custom, type } = resource
  const rankOf = (field: string): number => ranksByField.get(field) ?? resourceFields.length
  const entries = Object.entries({ ...resource, ...changes }).filter(
    (entry): entry is [string, Json] => entry[1] !== undefined,
  )
  const sorted = Object.fromEntries(entries.sort(([a], [b]) => rankOf(a) - rankOf(b)))
  const newUrn = changes['urn']
  return { ...sorted, urn: typeof newUrn === 'string' ? newUrn : urn, custom, type }
}

/** Returns the fields of a stored resource that this version of Antichain does not know. */
export function unknownFieldsOf(resource: StoredResource): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(resource).filter(([field]) => !ranksByField.has(field)))
}

/** Returns the resource with a flag set to true. */
export function withFlag(resource: StoredResource, flag: string): StoredResource {
  return resource[flag] === true ? resource : withFields(resource, { [flag]: true })
}
