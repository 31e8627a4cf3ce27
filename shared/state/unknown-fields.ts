import { emptyDeployment } from './empty-deployment.ts'
import { byteStringMark } from './features.ts'
import { unknownFieldsOf } from './field-order.ts'
import type { StoredJsonObject } from './stored-fields.ts'
import {
  envelopeFieldsKey,
  type Json,
  type StoredDeployment,
  type StoredEnvelope,
  type StoredResource,
} from './stored.ts'

/** The fields of a deployment that this version of Antichain knows, in all of their spellings. */
const knownFields: ReadonlySet<string> = new Set([
  ...['manifest', 'secrets_providers', 'resources', 'pending_operations', 'pendingOperations'],
  ...['metadata', 'snippets', 'extensions'],
])

/**
 * Returns the fields of a deployment that this version of Antichain does not know, and those of its
 * envelope.
 */
export function selectUnknownDeploymentFields(deployment: object): object {
  const entries = Object.entries(deployment).filter(([field]) => !knownFields.has(field))
  const envelopeFields =
    envelopeFieldsKey in deployment ? { [envelopeFieldsKey]: deployment[envelopeFieldsKey] } : {}
  return { ...Object.fromEntries(entries), ...envelopeFields }
}

/** Returns the fields of an envelope as part of its deployment in memory. */
export function withEnvelopeFields(
  fields: StoredDeployment[typeof envelopeFieldsKey],
): Pick<StoredDeployment, typeof envelopeFieldsKey> {
  return fields === undefined || Object.keys(fields).length === 0
    ? {}
    : { [envelopeFieldsKey]: fields }
}

/** Returns the fields of an envelope that this version of Antichain does not know. */
export function selectUnknownEnvelopeFields(envelope: object): StoredJsonObject {
  const names = ['version', 'features', 'deployment']
  const entries: [string, Json][] = Object.entries(envelope)
  return Object.fromEntries(entries.filter(([field]) => !names.includes(field)))
}

/**
 * Returns the deployment of an envelope. If the envelope has none but has unknown fields, returns
 * an empty deployment with them. Returns null for an envelope with neither.
 */
export function deploymentOfEnvelope(envelope: StoredEnvelope): StoredDeployment | null {
  const { deployment } = envelope
  const unknownFields = selectUnknownEnvelopeFields(envelope)
  if (deployment !== null || Object.keys(unknownFields).length === 0) return deployment
  return { ...emptyDeployment, ...withEnvelopeFields(unknownFields) }
}

/** Returns an encoded resource with the unknown fields of its earlier form at the end. */
export function keepUnknownResourceFields(
  encoded: StoredResource,
  before: StoredResource,
): StoredResource {
  const unknownFields = unknownFieldsOf(before)
  return Object.keys(unknownFields).length === 0 ? encoded : { ...encoded, ...unknownFields }
}

/**
 * Returns an encoded deployment with the unknown fields of its earlier form: those of the
 * deployment, of its manifest and of its metadata. Resources are not changed.
 */
export function keepUnknownDeploymentFields(
  encoded: StoredDeployment,
  before: StoredDeployment,
): StoredDeployment {
  const { integrity_error: _error, [byteStringMark]: _mark, ...metadata } = before.metadata
  return {
    ...encoded,
    manifest: { ...before.manifest, ...encoded.manifest },
    metadata: { ...metadata, ...encoded.metadata },
    ...selectUnknownDeploymentFields(before),
  }
}
