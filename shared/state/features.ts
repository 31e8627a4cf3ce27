import { signatureKey, signatures } from '../values/wire-options.ts'
import { isJsonObject, type StoredJsonObject } from './stored-fields.ts'
import { createPauser } from './stream/pause.ts'
import type { Json, StoredDeployment, StoredResource } from './stored.ts'

/**
 * The features that this version of Antichain can read (docs/spec/state-format.md#features), in the
 * order in which they are written.
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
 * Key in the `metadata` of a deployment in memory. Its value true means that the deployment
 * contains byte strings. They may be inside ciphertexts, where the stored form does not show them.
 * In files, a feature of the envelope replaces this key.
 */
export const byteStringMark = 'byteString'

/**
 * Returns the features that a reader of this deployment needs, sorted. The features of pending
 * operations count too.
 */
export function featuresOf(deployment: StoredDeployment): readonly string[] {
  const features = new Set<Feature>()
  for (const resource of deployment.resources ?? []) addFeatures(resource, features)
  return completeFeatures(deployment, features)
}

/** Returns the same features as `featuresOf`. Other work of the process continues meanwhile. */
export async function findFeatures(deployment: StoredDeployment): Promise<readonly string[]> {
  const features = new Set<Feature>()
  const pauser = createPauser()
  for (const resource of deployment.resources ?? []) {
    addFeatures(resource, features)
    await pauser.addResource()
  }
  return completeFeatures(deployment, features)
}

function completeFeatures(
  { pending_operations: pending = [], snippets = [], metadata }: StoredDeployment,
  features: Set<Feature>,
): readonly string[] {
  for (const { resource } of pending) addFeatures(resource, features)
  if (snippets.length > 0) features.add('snippets-prototype')
  if (metadata[byteStringMark] === true) features.add('byteString')
  return knownFeatures.filter(feature => features.has(feature))
}

/** Returns the version of the envelope of a deployment with these features. */
export function envelopeVersionOf(features: readonly string[]): 3 | 4 {
  return features.length === 0 ? 3 : 4
}

function addFeatures(resource: StoredResource, features: Set<Feature>): void {
  if (resource['refreshBeforeUpdate'] === true) features.add('refreshBeforeUpdate')
  if (resource['taint'] === true) features.add('taint')
  if (isFilled(resource['viewOf'])) features.add('views')
  if (isFilled(resource['resourceHooks'])) features.add('hooks')
  if (isFilled(resource['replaceWith'])) features.add('replaceWith')
  if (isFilled(resource['extensionRef'])) features.add('extensionParameterization')
  if (isFilled(resource['snippetID'])) features.add('snippets-prototype')
  if (features.has('byteString')) return
  for (const field of ['inputs', 'outputs', 'replacementTrigger'])
    if (containsByteString(resource[field])) features.add('byteString')
}

function isFilled(json: Json | undefined): boolean {
  if (typeof json === 'string' || Array.isArray(json)) return json.length > 0
  return isJsonObject(json) && Object.keys(json).length > 0
}

/** Reports whether a value contains an unencrypted byte string. */
function containsByteString(json: Json | undefined): boolean {
  if (Array.isArray(json)) return json.some((item: Json) => containsByteString(item))
  if (!isJsonObject(json)) return false
  return isByteString(json) || Object.values(json).some(containsByteString)
}

function isByteString(json: StoredJsonObject): boolean {
  return json[signatureKey] === signatures.bytes
}
