import { beforeAll, expect, test } from 'vitest'
import { hookTypes } from '../../shared/engine/hooks.ts'
import { knownFeatures } from '../../shared/state/features.ts'
import { resourceFields } from '../../shared/state/field-order.ts'
import { floatSignature } from '../../shared/values/value-codec.ts'
import { signatureKey, signatures } from '../../shared/values/wire-options.ts'
import { listRecordedStates, readRecordedState } from '../recorded-states.ts'

type Json = null | boolean | number | string | readonly Json[] | JsonObject
type JsonObject = { readonly [field: string]: Json }

const valueSignatures = { ...signatures, float: floatSignature }

/**
 * The fields and values of states, by the type in Pulumi's package `apitype` or by their kind.
 * Those of resources, features, hooks and signatures are the lists of our own codec.
 */
const fieldsByKind = {
  UntypedDeployment: ['version', 'features', 'deployment'],
  DeploymentV3: [
    ...['manifest', 'secrets_providers', 'resources', 'pending_operations', 'metadata'],
    ...['snippets', 'extensions'],
  ],
  ManifestV1: ['time', 'magic', 'version', 'plugins'],
  PluginInfoV1: ['name', 'path', 'type', 'version'],
  SecretsProvidersV1: ['type', 'state'],
  SnapshotMetadataV1: ['integrity_error'],
  SnapshotIntegrityErrorMetadataV1: ['version', 'command', 'error', 'env_vars'],
  SnippetV1: ['uuid', 'name', 'type', 'code', 'descriptor', 'references'],
  PackageDescriptorV1: ['name', 'version', 'downloadURL', 'parameterization'],
  Extension: ['name', 'version', 'value'],
  OperationV2: ['resource', 'type'],
  ResourceV3: resourceFields,
  CustomTimeouts: ['create', 'update', 'delete', 'read'],
  StackFrameV1: ['sourcePosition'],
  resourceHooks: hookTypes,
  feature: knownFeatures,
  'type of operation': ['creating', 'updating', 'deleting', 'reading', 'importing'],
  'type of manager': ['passphrase', 'cloud', 'service'],
  '__internal of a provider': [
    ...['name', 'version', 'parameterization', 'pluginDownloadURL', 'envVarMappings'],
  ],
  signature: Object.keys(valueSignatures),
  'fields of a reference': ['id', 'urn', 'packageVersion'],
  'fields of an asset': ['hash', 'text', 'path', 'uri'],
  'fields of an archive': ['hash', 'assets', 'path', 'uri'],
  'fields of a secret': ['ciphertext', 'plaintext'],
  value: [
    ...['null', 'true', 'false', 'text', 'empty text', 'number', 'fraction', 'negative zero'],
    ...['exponent', 'beyond 2^53', 'list', 'empty list', 'map', 'empty map'],
    ...['HTML character', 'line separator', 'surrogate pair', 'control character', 'U+FFFD'],
  ],
  key: ['empty', 'numeric', 'HTML character', 'line separator', 'surrogate pair', 'path'],
} as const

/** The fields and values without a recorded state, each with the reason. */
const exceptions: readonly string[] = [
  // `pulumi do` writes them only for packages of a registry or with parameters in its arguments.
  'PackageDescriptorV1 downloadURL',
  'PackageDescriptorV1 parameterization',
  // This manager is a server of Pulumi Cloud, and its states are not in a self-managed backend.
  'type of manager service',
  // The command line replaces output values by their contents before it writes a state.
  'signature output',
  // The command line downloads an archive with a URI when it computes the hash.
  'fields of an archive uri',
]

const found = new Set<string>()
beforeAll(() => {
  for (const name of listRecordedStates()) addEnvelope(JSON.parse(readRecordedState(name)))
})

test('the recorded states contain every field and value of the codec, except for the named ones', () => {
  const missing = Object.entries(fieldsByKind).flatMap(([kind, fields]) =>
    fields.map(field => `${kind} ${field}`).filter(field => !found.has(field)),
  )
  expect(missing).toEqual(exceptions)
})

test('every field of the recorded states is known to the codec', () => {
  const known = new Set(
    Object.entries(fieldsByKind).flatMap(([kind, fields]) =>
      fields.map(field => `${kind} ${field}`),
    ),
  )
  expect([...found].filter(field => !known.has(field))).toEqual([])
})

function addFields(kind: keyof typeof fieldsByKind, json: Json | undefined): JsonObject {
  const object = isObject(json) ? json : {}
  for (const field of Object.keys(object)) found.add(`${kind} ${field}`)
  return object
}

function isObject(json: Json | undefined): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

const textOf = (json: Json | undefined): string => (typeof json === 'string' ? json : '')

const listOf = (json: Json | undefined): readonly Json[] => (Array.isArray(json) ? json : [])

function addEnvelope(json: Json): void {
  const { features, deployment } = addFields('UntypedDeployment', json)
  for (const feature of listOf(features)) found.add(`feature ${textOf(feature)}`)
  const { manifest, metadata, ...parts } = addFields('DeploymentV3', deployment)
  for (const plugin of listOf(addFields('ManifestV1', manifest)['plugins']))
    addFields('PluginInfoV1', plugin)
  const { type } = addFields('SecretsProvidersV1', parts['secrets_providers'])
  found.add(`type of manager ${textOf(type)}`)
  const { integrity_error: error } = addFields('SnapshotMetadataV1', metadata)
  addFields('SnapshotIntegrityErrorMetadataV1', error)
  for (const snippet of listOf(parts['snippets']))
    addFields('PackageDescriptorV1', addFields('SnippetV1', snippet)['descriptor'])
  const { extensions } = parts
  for (const extension of isObject(extensions) ? Object.values(extensions) : [])
    addFields('Extension', extension)
  for (const resource of listOf(parts['resources'])) addResource(resource)
  for (const operation of listOf(parts['pending_operations'])) {
    const { type: operationType, resource } = addFields('OperationV2', operation)
    found.add(`type of operation ${textOf(operationType)}`)
    addResource(resource)
  }
}

function addResource(json: Json | undefined): void {
  const resource = addFields('ResourceV3', json)
  addFields('CustomTimeouts', resource['customTimeouts'])
  addFields('resourceHooks', resource['resourceHooks'])
  for (const frame of listOf(resource['stackTrace'])) addFields('StackFrameV1', frame)
  const { inputs, outputs, replacementTrigger } = resource
  if (textOf(resource['type']).startsWith('pulumi:providers:') && isObject(inputs))
    addFields('__internal of a provider', inputs['__internal'])
  for (const values of [inputs, outputs])
    if (isObject(values)) for (const value of Object.values(values)) addValue(value)
  if (replacementTrigger !== undefined) addValue(replacementTrigger)
}

function addValue(value: Json): void {
  if (Array.isArray(value)) {
    found.add(value.length === 0 ? 'value empty list' : 'value list')
    for (const item of value) addValue(item)
  } else if (isObject(value)) addObject(value)
  else if (typeof value === 'string')
    for (const kind of value === '' ? ['empty text'] : ['text', ...kindsOfText(value)])
      found.add(`value ${kind}`)
  else if (typeof value === 'number') {
    found.add(Number.isInteger(value) ? 'value number' : 'value fraction')
    if (Object.is(value, -0)) found.add('value negative zero')
    if (String(value).includes('e')) found.add('value exponent')
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) found.add('value beyond 2^53')
  } else found.add(`value ${JSON.stringify(value)}`)
}

function addObject(object: JsonObject): void {
  const { [signatureKey]: signature, ...fields } = object
  if (signature !== undefined) return addSignedObject(textOf(signature), fields)
  const entries = Object.entries(object)
  found.add(entries.length === 0 ? 'value empty map' : 'value map')
  for (const [key, item] of entries) {
    if (key === '') found.add('key empty')
    if (/^\d+$/.test(key)) found.add('key numeric')
    if (/[.[\]]/.test(key)) found.add('key path')
    for (const kind of kindsOfText(key))
      if (kind !== 'control character' && kind !== 'U+FFFD') found.add(`key ${kind}`)
    addValue(item)
  }
}

function addSignedObject(signature: string, fields: JsonObject): void {
  const kind = Object.entries(valueSignatures).find(([, text]) => text === signature)?.[0]
  found.add(`signature ${kind ?? signature}`)
  if (kind === 'reference') addFields('fields of a reference', fields)
  if (kind === 'asset') addFields('fields of an asset', fields)
  if (kind === 'secret') addFields('fields of a secret', fields)
  if (kind !== 'archive') return
  const { assets } = addFields('fields of an archive', fields)
  for (const item of isObject(assets) ? Object.values(assets) : []) addValue(item)
}

const textKinds: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['HTML character', /[<>&]/],
  ['line separator', /[\u2028\u2029]/],
  ['surrogate pair', /[\u{10000}-\u{10ffff}]/u],
  ['control character', /\p{Cc}/u],
  ['U+FFFD', /\ufffd/],
]

const kindsOfText = (text: string): readonly string[] =>
  textKinds.flatMap(([kind, pattern]) => (pattern.test(text) ? [kind] : []))
