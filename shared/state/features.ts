import { signatureKey, signatures } from '../values/wire-options.ts'
import { isJsonObject, type StoredJsonObject } from './stored-fields.ts'
import type { Json, StoredDeployment, StoredResource } from './stored.ts'

/**
 * The features that this version can read (docs/spec/state-format.md#features), in the order in
 * which they are written.
 */
export const knownFeatures = [
  'byteString',
  'extensionParameterization',
  'hooks',
  'refreshBeforeUpdate',
  'replaceWith',
  'snippets-prototype',
  'taint',
  'views',
] as const

type Feature = (typeof knownFeatures)[number]

/**
 * Key in the `metadata` of a deployment in memory that records byte strings. They may be inside
 * ciphertexts, where the stored form does not show them. Files do not contain this field: it
 * becomes a feature of the envelope, and is restored from it.
 */
export const byteStringMark = 'byteString'

/**
 * Returns the features that a reader of this deployment needs, sorted. Pending operations count
 * too.
 */
export function featuresOf(deployment: StoredDeployment): readonly string[] {
  const found = new Set<Feature>()
  const { resources = [], pending_operations: pending = [], snippets = [] } = deployment
  for (const resource of resources) noteFeatures(resource, found)
  for (const { resource } of pending) noteFeatures(resource, found)
  if (snippets.length > 0) found.add('snippets-prototype')
  if (deployment.metadata[byteStringMark] === true) found.add('byteString')
  return knownFeatures.filter(feature => found.has(feature))
}

function noteFeatures(resource: StoredResource, found: Set<Feature>): void {
  if (resource['refreshBeforeUpdate'] === true) found.add('refreshBeforeUpdate')
  if (resource['taint'] === true) found.add('taint')
  if (isFilled(resource['viewOf'])) found.add('views')
  if (isFilled(resource['resourceHooks'])) found.add('hooks')
  if (isFilled(resource['replaceWith'])) found.add('replaceWith')
  if (isFilled(resource['extensionRef'])) found.add('extensionParameterization')
  if (isFilled(resource['snippetID'])) found.add('snippets-prototype')
  if (found.has('byteString')) return
  for (const field of ['inputs', 'outputs', 'replacementTrigger'])
    if (holdsByteString(resource[field])) found.add('byteString')
}

function isFilled(json: Json | undefined): boolean {
  if (typeof json === 'string' || Array.isArray(json)) return json.length > 0
  return isJsonObject(json) && Object.keys(json).length > 0
}

/** Reports whether a value contains an unencrypted byte string. */
function holdsByteString(json: Json | undefined): boolean {
  if (Array.isArray(json)) return json.some((item: Json) => holdsByteString(item))
  if (!isJsonObject(json)) return false
  return isByteString(json) || Object.values(json).some(holdsByteString)
}

function isByteString(json: StoredJsonObject): boolean {
  return json[signatureKey] === signatures.bytes
}
