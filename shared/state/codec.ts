import type { Urn } from '../names/urn.ts'
import { compareUtf8 } from '../values/go-json.ts'
import {
  decodeStored,
  decodeStoredMap,
  encodeStored,
  encodeStoredMap,
  type Open,
  type Seal,
} from '../values/stored.ts'
import type { CustomTimeouts, ResourceState, StackFrame } from './resource.ts'
import { isJsonObject, listMapIn, textIn, textsIn } from './stored-fields.ts'
import type { Json, StoredResource } from './stored.ts'

/**
 * A state as files and records hold it: fields in the order of
 * docs/spec/state-format.md#fields-of-a-resource, what is empty left out, secrets through `seal`.
 */
export function encodeResource(state: ResourceState, seal: Seal): StoredResource {
  const timeouts = encodeTimeouts(state.customTimeouts)
  const trigger = encodeStored(state.replacementTrigger, seal)
  return {
    urn: state.urn,
    custom: state.custom,
    ...flag('delete', state.delete),
    ...text('id', state.id),
    type: state.type,
    ...object('inputs', encodeStoredMap(state.inputs, seal)),
    ...object('outputs', encodeStoredMap(state.outputs, seal)),
    ...text('parent', state.parent),
    ...flag('protect', state.protect),
    ...flag('taint', state.taint),
    ...flag('external', state.external),
    ...list('dependencies', state.dependencies),
    ...list('initErrors', state.initErrors),
    ...text('provider', state.provider),
    ...object('propertyDependencies', sortedObject(state.propertyDependencies)),
    ...flag('pendingReplacement', state.pendingReplacement),
    ...list('additionalSecretOutputs', state.additionalSecretOutputs),
    ...list('aliases', state.aliases),
    ...object('customTimeouts', timeouts),
    ...text('importID', state.importID),
    ...flag('retainOnDelete', state.retainOnDelete),
    ...text('deletedWith', state.deletedWith),
    ...list('replaceWith', state.replaceWith),
    ...text('created', state.created),
    ...text('modified', state.modified),
    ...text('sourcePosition', state.sourcePosition),
    ...list('stackTrace', state.stackTrace.map(encodeFrame)),
    ...list('ignoreChanges', state.ignoreChanges),
    ...list('hideDiff', state.hideDiff),
    ...list('replaceOnChanges', state.replaceOnChanges),
    ...(trigger === null ? {} : { replacementTrigger: trigger }),
    ...flag('refreshBeforeUpdate', state.refreshBeforeUpdate),
    ...text('viewOf', state.viewOf),
    ...object('resourceHooks', sortedObject(state.resourceHooks)),
    ...text('extensionRef', state.extensionRef),
    ...text('snippetID', state.snippetID),
  }
}

type Fields = { readonly [field: string]: Json }

function flag(field: string, value: boolean): Fields {
  return value ? { [field]: true } : {}
}

function text(field: string, value: string): Fields {
  return value === '' ? {} : { [field]: value }
}

function list(field: string, value: readonly Json[]): Fields {
  return value.length === 0 ? {} : { [field]: value }
}

function object(field: string, value: Fields): Fields {
  return Object.keys(value).length === 0 ? {} : { [field]: value }
}

function sortedObject(map: ReadonlyMap<string, readonly string[]>): Fields {
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

/**
 * A state from its stored form; what is absent or null is empty. Throws VALUE_MALFORMED, and
 * SECRETS_MALFORMED when a secret cannot be opened.
 */
export function decodeResource(stored: StoredResource, open: Open): ResourceState {
  const urns = (field: string): readonly Urn[] => textsIn(stored, field) as readonly Urn[]
  const properties = (field: string): ResourceState['inputs'] => {
    const value = stored[field]
    return isJsonObject(value) ? decodeStoredMap(value, open) : new Map()
  }
  return {
    urn: stored.urn as Urn,
    custom: stored.custom === true,
    delete: stored['delete'] === true,
    id: textIn(stored, 'id'),
    type: stored.type,
    inputs: properties('inputs'),
    outputs: properties('outputs'),
    parent: textIn(stored, 'parent') as Urn | '',
    protect: stored['protect'] === true,
    taint: stored['taint'] === true,
    external: stored['external'] === true,
    dependencies: urns('dependencies'),
    initErrors: textsIn(stored, 'initErrors'),
    provider: textIn(stored, 'provider'),
    propertyDependencies: listMapIn(stored, 'propertyDependencies') as ReadonlyMap<string, Urn[]>,
    pendingReplacement: stored['pendingReplacement'] === true,
    additionalSecretOutputs: textsIn(stored, 'additionalSecretOutputs'),
    aliases: urns('aliases'),
    customTimeouts: decodeTimeouts(stored['customTimeouts']),
    importID: textIn(stored, 'importID'),
    retainOnDelete: stored['retainOnDelete'] === true,
    deletedWith: textIn(stored, 'deletedWith') as Urn | '',
    replaceWith: urns('replaceWith'),
    created: textIn(stored, 'created'),
    modified: textIn(stored, 'modified'),
    sourcePosition: textIn(stored, 'sourcePosition'),
    stackTrace: decodeFrames(stored['stackTrace']),
    ignoreChanges: textsIn(stored, 'ignoreChanges'),
    hideDiff: textsIn(stored, 'hideDiff'),
    replaceOnChanges: textsIn(stored, 'replaceOnChanges'),
    replacementTrigger: decodeStored(stored['replacementTrigger'] ?? null, open),
    refreshBeforeUpdate: stored['refreshBeforeUpdate'] === true,
    viewOf: textIn(stored, 'viewOf') as Urn | '',
    resourceHooks: listMapIn(stored, 'resourceHooks'),
    extensionRef: textIn(stored, 'extensionRef'),
    snippetID: textIn(stored, 'snippetID'),
  }
}

function decodeTimeouts(json: Json | undefined): CustomTimeouts {
  if (!isJsonObject(json)) return {}
  const seconds = (field: 'create' | 'update' | 'delete' | 'read'): CustomTimeouts => {
    const value = json[field]
    return typeof value === 'number' && value !== 0 ? { [field]: value } : {}
  }
  return { ...seconds('create'), ...seconds('update'), ...seconds('delete'), ...seconds('read') }
}

function decodeFrames(json: Json | undefined): readonly StackFrame[] {
  if (!Array.isArray(json)) return []
  return json.map((frame: Json) => {
    const position = isJsonObject(frame) ? textIn(frame, 'sourcePosition') : ''
    return position === '' ? {} : { sourcePosition: position }
  })
}
