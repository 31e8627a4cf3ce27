import { isJsonObject, type StoredJsonObject } from './stored-fields.ts'

/**
 * Converts a resource of version 1 to version 2: `defaults`, `external` and `provider` are removed,
 * and missing inputs and outputs become empty. Source: docs/spec/state-format.md#envelope.
 */
export function migrateFromV1(resource: StoredJsonObject): StoredJsonObject {
  const {
    defaults: _defaults,
    external: _external,
    provider: _provider,
    ...remainingFields
  } = resource
  return {
    ...remainingFields,
    inputs: resource['inputs'] ?? {},
    outputs: resource['outputs'] ?? {},
  }
}

/**
 * Converts a resource of version 2 to version 3: `created` and `modified` are removed. Version 2
 * does not record property dependencies, so each input depends on all dependencies of the resource.
 */
export function migrateFromV2(resource: StoredJsonObject): StoredJsonObject {
  const { inputs, dependencies = [] } = resource
  const { created: _created, modified: _modified, ...remainingFields } = resource
  const inputNames = isJsonObject(inputs) ? Object.keys(inputs) : []
  if (inputNames.length === 0) return remainingFields
  return {
    ...remainingFields,
    propertyDependencies: Object.fromEntries(inputNames.map(name => [name, dependencies])),
  }
}
