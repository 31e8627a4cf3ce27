import { isJsonObject, type StoredJsonObject } from './stored-fields.ts'

/**
 * A resource of version 1 as one of version 2: `defaults` goes. Source:
 * docs/spec/state-format.md#envelope.
 */
export function migrateFromV1(resource: StoredJsonObject): StoredJsonObject {
  const { defaults: _defaults, external: _external, provider: _provider, ...kept } = resource
  return { ...kept, inputs: resource['inputs'] ?? {}, outputs: resource['outputs'] ?? {} }
}

/**
 * A resource of version 2 as one of version 3: which property takes what from which dependency was
 * not known then, so each is taken to depend on all.
 */
export function migrateFromV2(resource: StoredJsonObject): StoredJsonObject {
  const { inputs, dependencies = [] } = resource
  const { created: _created, modified: _modified, ...kept } = resource
  const keys = isJsonObject(inputs) ? Object.keys(inputs) : []
  if (keys.length === 0) return kept
  return {
    ...kept,
    propertyDependencies: Object.fromEntries(keys.map(key => [key, dependencies])),
  }
}
