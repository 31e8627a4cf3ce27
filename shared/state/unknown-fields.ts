import { byteStringMark } from './features.ts'
import { unknownFieldsOf } from './field-order.ts'
import type { StoredDeployment, StoredResource } from './stored.ts'

/** The fields of a deployment that this version knows, with each spelling of them. */
const knownFields: ReadonlySet<string> = new Set([
  ...['manifest', 'secrets_providers', 'resources', 'pending_operations', 'pendingOperations'],
  ...['metadata', 'snippets', 'extensions'],
])

/** Returns the fields of a deployment that this version does not know. */
export function unknownDeploymentFields(deployment: object): object {
  return Object.fromEntries(Object.entries(deployment).filter(([field]) => !knownFields.has(field)))
}

/** Returns an encoded resource with the unknown fields of its earlier form at the end. */
export function keepUnknownFields(encoded: StoredResource, before: StoredResource): StoredResource {
  const unknownFields = unknownFieldsOf(before)
  return Object.keys(unknownFields).length === 0 ? encoded : { ...encoded, ...unknownFields }
}

/**
 * Returns an encoded deployment with the unknown fields of its earlier form: those of the
 * deployment, of its manifest and of its metadata. Resources are not changed.
 */
export function keepUnknownFrame(
  encoded: StoredDeployment,
  before: StoredDeployment,
): StoredDeployment {
  const { integrity_error: _error, [byteStringMark]: _mark, ...metadata } = before.metadata
  return {
    ...encoded,
    manifest: { ...before.manifest, ...encoded.manifest },
    metadata: { ...metadata, ...encoded.metadata },
    ...unknownDeploymentFields(before),
  }
}
