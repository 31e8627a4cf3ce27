import { DeployError, createError } from '../errors/error.ts'
import type { Urn } from '../names/urn.ts'
import { compareUtf8 } from '../values/go-json.ts'
import {
  decodeStored,
  decodeStoredMap,
  encodeStored,
  encodeStoredMap,
  type JsonObject,
  type OpenCiphertext,
  type SealPlaintext,
} from '../values/value-codec.ts'
import { RecomputedMap } from '../values/recomputed-map.ts'
import { emptyMap, type PropertyMap } from '../values/value.ts'
import { type CustomTimeouts, noTimeouts, type ResourceState, type StackFrame } from './resource.ts'
import { stackTraceOf } from './shared-traces.ts'
import {
  isJsonObject,
  readListMapField,
  readTextField,
  readTextListField,
} from './stored-fields.ts'
import type { Json, StoredResource } from './stored.ts'

/**
 * Encodes a state for files and records: fields in the order of
 * docs/spec/state-format.md#fields-of-a-resource, empty fields omitted, secrets encrypted by
 * `seal`.
 */
export function encodeResource(state: ResourceState, seal: SealPlaintext): StoredResource {
  const timeouts = encodeTimeouts(state.customTimeouts)
  const trigger = encodeStored(state.replacementTrigger, seal)
  return {
    urn: state.urn,
    custom: state.custom,
    ...encodeFlag('delete', state.delete),
    ...encodeText('id', state.id),
    type: state.type,
    ...encodeObject('inputs', encodeStoredMap(state.inputs, seal)),
    ...encodeObject('outputs', encodeStoredMap(state.outputs, seal)),
    ...encodeText('parent', state.parent),
    ...encodeFlag('protect', state.protect),
    ...encodeFlag('taint', state.taint),
    ...encodeFlag('external', state.external),
    ...encodeList('dependencies', state.dependencies),
    ...encodeList('initErrors', state.initErrors),
    ...encodeText('provider', state.provider),
    ...encodeObject('propertyDependencies', encodeSortedObject(state.propertyDependencies)),
    ...encodeFlag('pendingReplacement', state.pendingReplacement),
    ...encodeList('additionalSecretOutputs', state.additionalSecretOutputs),
    ...encodeList('aliases', state.aliases),
    ...encodeObject('customTimeouts', timeouts),
    ...encodeText('importID', state.importID),
    ...encodeFlag('retainOnDelete', state.retainOnDelete),
    ...encodeText('deletedWith', state.deletedWith),
    ...encodeList('replaceWith', state.replaceWith),
    ...encodeText('created', state.created),
    ...encodeText('modified', state.modified),
    ...encodeText('sourcePosition', state.sourcePosition),
    ...encodeList('stackTrace', state.stackTrace.map(encodeFrame)),
    ...encodeList('ignoreChanges', state.ignoreChanges),
    ...encodeList('hideDiff', state.hideDiff),
    ...encodeList('replaceOnChanges', state.replaceOnChanges),
    ...(trigger === null ? {} : { replacementTrigger: trigger }),
    ...encodeFlag('refreshBeforeUpdate', state.refreshBeforeUpdate),
    ...encodeText('viewOf', state.viewOf),
    ...encodeObject('resourceHooks', encodeSortedObject(state.resourceHooks)),
    ...encodeText('extensionRef', state.extensionRef),
    ...encodeText('snippetID', state.snippetID),
  }
}

type Fields = { readonly [field: string]: Json }

function encodeFlag(field: string, value: boolean): Fields {
  return value ? { [field]: true } : {}
}

function encodeText(field: string, value: string): Fields {
  return value === '' ? {} : { [field]: value }
}

function encodeList(field: string, value: readonly Json[]): Fields {
  return value.length === 0 ? {} : { [field]: value }
}

function encodeObject(field: string, value: Fields): Fields {
  return Object.keys(value).length === 0 ? {} : { [field]: value }
}

function encodeSortedObject(map: ReadonlyMap<string, readonly string[]>): Fields {
  return Object.fromEntries([...map].sort(([a], [b]) => compareUtf8(a, b)))
}

function encodeTimeouts({ create, update, delete: remove, read }: CustomTimeouts): Fields {
  return {
    ...(create ? { create } : {}),
    ...(update ? { update } : {}),
    ...(remove ? { delete: remove } : {}),
    ...(read ? { read } : {}),
  }
}

function encodeFrame(frame: StackFrame): Fields {
  return frame.sourcePosition === undefined ? {} : { sourcePosition: frame.sourcePosition }
}

/** The codes of errors that describe a value of a resource, but do not name the resource. */
const valueErrorCodes = ['VALUE_MALFORMED', 'SECRETS_MALFORMED'] as const

/** Adds the URN of a resource to the message of an error that describes one of its values. */
function withUrn(thrown: unknown, urn: string): unknown {
  if (!(thrown instanceof DeployError)) return thrown
  if (!valueErrorCodes.some(code => code === thrown.code)) return thrown
  const { code, message, details, cause } = thrown
  // The value is in a state, so its cause need not be a program or a provider.
  const hint =
    code === 'VALUE_MALFORMED'
      ? 'Correct the value in the state with `antichain state edit`, or restore a backup of the state.'
      : thrown.hint
  return createError(code, `the resource ${urn} is malformed: ${message}`, { details, hint, cause })
}

/**
 * Decodes a state from its stored form. Absent and null fields become empty. `properties` applies
 * to inputs and outputs without ciphertexts. `recomputed`: they are decoded when they are read,
 * which suits many states that stay in memory. `kept`: they are decoded once. Throws
 * VALUE_MALFORMED, and SECRETS_MALFORMED when a secret cannot be decrypted.
 */
export function decodeResource(
  stored: StoredResource,
  open: OpenCiphertext,
  properties: 'recomputed' | 'kept' = 'recomputed',
): ResourceState {
  let hasCiphertext = false
  const openAndNotice: OpenCiphertext = ciphertext => {
    hasCiphertext = true
    return open(ciphertext)
  }
  let state: ResourceState
  try {
    state = decodeFields(stored, openAndNotice, properties === 'recomputed')
  } catch (thrown) {
    throw withUrn(thrown, stored.urn)
  }
  if (!hasCiphertext) return state
  storedForms.set(state, stored)
  return state
}

/** The stored forms of decoded states with ciphertexts, for as long as the states are in use. */
const storedForms = new WeakMap<ResourceState, StoredResource>()

/** Returns the stored form of a state that `decodeResource` returned, if it has a ciphertext. */
export function storedFormOf(state: ResourceState): StoredResource | undefined {
  return storedForms.get(state)
}

function decodeFields(
  stored: StoredResource,
  open: OpenCiphertext,
  areRecomputed: boolean,
): ResourceState {
  const readUrns = (field: string): readonly Urn[] =>
    readTextListField(stored, field) as readonly Urn[]
  const readProperties = (field: string): PropertyMap =>
    decodeProperties(stored[field], open, areRecomputed)
  return {
    urn: stored.urn as Urn,
    custom: stored.custom === true,
    delete: stored['delete'] === true,
    id: readTextField(stored, 'id'),
    type: stored.type,
    inputs: readProperties('inputs'),
    outputs: readProperties('outputs'),
    parent: readTextField(stored, 'parent') as Urn | '',
    protect: stored['protect'] === true,
    taint: stored['taint'] === true,
    external: stored['external'] === true,
    dependencies: readUrns('dependencies'),
    initErrors: readTextListField(stored, 'initErrors'),
    provider: readTextField(stored, 'provider'),
    propertyDependencies: readListMapField(stored, 'propertyDependencies') as ReadonlyMap<
      string,
      readonly Urn[]
    >,
    pendingReplacement: stored['pendingReplacement'] === true,
    additionalSecretOutputs: readTextListField(stored, 'additionalSecretOutputs'),
    aliases: readUrns('aliases'),
    customTimeouts: decodeTimeouts(stored['customTimeouts']),
    importID: readTextField(stored, 'importID'),
    retainOnDelete: stored['retainOnDelete'] === true,
    deletedWith: readTextField(stored, 'deletedWith') as Urn | '',
    replaceWith: readUrns('replaceWith'),
    created: readTextField(stored, 'created'),
    modified: readTextField(stored, 'modified'),
    sourcePosition: readTextField(stored, 'sourcePosition'),
    stackTrace: decodeFrames(stored['stackTrace']),
    ignoreChanges: readTextListField(stored, 'ignoreChanges'),
    hideDiff: readTextListField(stored, 'hideDiff'),
    replaceOnChanges: readTextListField(stored, 'replaceOnChanges'),
    replacementTrigger: decodeStored(stored['replacementTrigger'] ?? null, open),
    refreshBeforeUpdate: stored['refreshBeforeUpdate'] === true,
    viewOf: readTextField(stored, 'viewOf') as Urn | '',
    resourceHooks: readListMapField(stored, 'resourceHooks'),
    extensionRef: readTextField(stored, 'extensionRef'),
    snippetID: readTextField(stored, 'snippetID'),
  }
}

/**
 * Decodes inputs or outputs. With `areRecomputed`, properties without a ciphertext keep their
 * stored form, which is much smaller, and are decoded when they are read.
 */
function decodeProperties(
  json: Json | undefined,
  open: OpenCiphertext,
  areRecomputed: boolean,
): PropertyMap {
  if (!isJsonObject(json) || Object.keys(json).length === 0) return emptyMap
  let hasCiphertext = false
  const properties = decodeStoredMap(json, ciphertext => {
    hasCiphertext = true
    return open(ciphertext)
  })
  return hasCiphertext || !areRecomputed
    ? properties
    : new RecomputedMap(json, decodeWithoutCiphertexts)
}

function decodeWithoutCiphertexts(json: JsonObject): PropertyMap {
  return decodeStoredMap(json, () => {
    throw createError('INTERNAL_ASSERTION', 'properties without a ciphertext were decrypted')
  })
}

function decodeTimeouts(json: Json | undefined): CustomTimeouts {
  if (!isJsonObject(json)) return noTimeouts
  const readSeconds = (field: 'create' | 'update' | 'delete' | 'read'): CustomTimeouts => {
    const value = json[field]
    return typeof value === 'number' && value !== 0 ? { [field]: value } : {}
  }
  return {
    ...readSeconds('create'),
    ...readSeconds('update'),
    ...readSeconds('delete'),
    ...readSeconds('read'),
  }
}

function decodeFrames(json: Json | undefined): readonly StackFrame[] {
  if (!Array.isArray(json)) return stackTraceOf([])
  return stackTraceOf(
    json.map((frame: Json) => (isJsonObject(frame) ? readTextField(frame, 'sourcePosition') : '')),
  )
}
