import { error } from '../errors/error.ts'
import { isUrn, type Urn } from '../names/urn.ts'
import type { Json } from '../values/json.ts'
import { compareUtf8 } from '../values/go-json.ts'
import {
  decodeStored,
  decodeStoredMap,
  encodeStored,
  encodeStoredMap,
  type Open,
  type Seal,
} from '../values/stored.ts'
import { emptyMap } from '../values/value.ts'
import type { CustomTimeouts, ResourceState, StackFrame } from './resource.ts'
import type { StoredResource } from './stored.ts'

/** Fields in the order in which states have them (`state.md` 1.5); what is empty is left out. */
export function encodeResource(state: ResourceState, seal: Seal): StoredResource {
  const fields: readonly (readonly [string, Json])[] = [
    ['delete', state.delete],
    ['id', state.id],
    ['type', state.type],
    ['inputs', encodeStoredMap(state.inputs, seal)],
    ['outputs', encodeStoredMap(state.outputs, seal)],
    ['parent', state.parent],
    ['protect', state.protect],
    ['taint', state.taint],
    ['external', state.external],
    ['dependencies', state.dependencies],
    ['initErrors', state.initErrors],
    ['provider', state.provider],
    ['propertyDependencies', listsOf(state.propertyDependencies)],
    ['pendingReplacement', state.pendingReplacement],
    ['additionalSecretOutputs', state.additionalSecretOutputs],
    ['aliases', state.aliases],
    ['customTimeouts', { ...state.customTimeouts }],
    ['importID', state.importID],
    ['retainOnDelete', state.retainOnDelete],
    ['deletedWith', state.deletedWith],
    ['replaceWith', state.replaceWith],
    ['created', state.created],
    ['modified', state.modified],
    ['sourcePosition', state.sourcePosition],
    ['stackTrace', state.stackTrace.map(frame => ({ ...frame }))],
    ['ignoreChanges', state.ignoreChanges],
    ['hideDiff', state.hideDiff],
    ['replaceOnChanges', state.replaceOnChanges],
    [
      'replacementTrigger',
      state.replacementTrigger === null ? '' : encodeStored(state.replacementTrigger, seal),
    ],
    ['refreshBeforeUpdate', state.refreshBeforeUpdate],
    ['viewOf', state.viewOf],
    ['resourceHooks', listsOf(state.resourceHooks)],
    ['extensionRef', state.extensionRef],
    ['snippetID', state.snippetID],
  ]
  const kept = fields.filter(
    ([field, json]) =>
      !isEmpty(json) || (field === 'replacementTrigger' && state.replacementTrigger !== null),
  )
  return { urn: state.urn, custom: state.custom, ...Object.fromEntries(kept), type: state.type }
}

function isEmpty(json: Json): boolean {
  if (json === null || json === false || json === '' || json === 0) return true
  return typeof json === 'object' && Object.keys(json).length === 0
}

function listsOf(map: ReadonlyMap<string, readonly string[]>): Json {
  return Object.fromEntries([...map].sort(([a], [b]) => compareUtf8(a, b)))
}

/** A resource from its stored form. Throws STATE_INVALID, VALUE_MALFORMED, SECRETS_MALFORMED. */
export function decodeResource(stored: StoredResource, open: Open): ResourceState {
  const text = (field: string): string => textOf(stored[field])
  const urn = (field: string): Urn | '' => urnOf(stored[field])
  const flag = (field: string): boolean => stored[field] === true
  if (!isUrn(stored.urn))
    throw error('STATE_INVALID', `the state has a resource with the URN '${stored.urn}'`)
  if (stored.type === '') throw error('STATE_INVALID', `the resource ${stored.urn} has no type`)
  const id = text('id')
  if (!stored.custom && id !== '')
    throw error('STATE_INVALID', `the component ${stored.urn} has an id`)
  const trigger = stored['replacementTrigger']
  return {
    urn: stored.urn,
    type: stored.type,
    custom: stored.custom,
    delete: flag('delete'),
    id,
    inputs: mapOf(stored['inputs'], open),
    outputs: mapOf(stored['outputs'], open),
    parent: urn('parent'),
    protect: flag('protect'),
    taint: flag('taint'),
    external: flag('external'),
    dependencies: urnsOf(stored['dependencies']),
    initErrors: textsOf(stored['initErrors']),
    provider: text('provider'),
    propertyDependencies: new Map(
      entriesOf(stored['propertyDependencies']).map(([key, urns]) => [key, urnsOf(urns)]),
    ),
    pendingReplacement: flag('pendingReplacement'),
    additionalSecretOutputs: textsOf(stored['additionalSecretOutputs']),
    aliases: urnsOf(stored['aliases']),
    customTimeouts: timeoutsOf(stored['customTimeouts']),
    importID: text('importID'),
    retainOnDelete: flag('retainOnDelete'),
    deletedWith: urn('deletedWith'),
    replaceWith: urnsOf(stored['replaceWith']),
    created: text('created'),
    modified: text('modified'),
    sourcePosition: text('sourcePosition'),
    stackTrace: framesOf(stored['stackTrace']),
    ignoreChanges: textsOf(stored['ignoreChanges']),
    hideDiff: textsOf(stored['hideDiff']),
    replaceOnChanges: textsOf(stored['replaceOnChanges']),
    replacementTrigger: trigger === undefined ? null : decodeStored(trigger, open),
    refreshBeforeUpdate: flag('refreshBeforeUpdate'),
    viewOf: urn('viewOf'),
    resourceHooks: new Map(
      entriesOf(stored['resourceHooks']).map(([key, names]) => [key, textsOf(names)]),
    ),
    extensionRef: text('extensionRef'),
    snippetID: text('snippetID'),
  }
}

function textOf(json: Json | undefined): string {
  return typeof json === 'string' ? json : ''
}

function urnOf(json: Json | undefined): Urn | '' {
  const text = textOf(json)
  if (text === '' || isUrn(text)) return text
  throw error('STATE_INVALID', `the state refers to '${text}', which is no URN`)
}

function itemsOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : []
}

function textsOf(json: Json | undefined): readonly string[] {
  return itemsOf(json).filter(item => typeof item === 'string')
}

function urnsOf(json: Json | undefined): readonly Urn[] {
  return itemsOf(json).flatMap(item => urnOf(item) || [])
}

function entriesOf(json: Json | undefined): readonly (readonly [string, Json])[] {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
    ? Object.entries(json)
    : []
}

function mapOf(json: Json | undefined, open: Open): ResourceState['inputs'] {
  const entries = entriesOf(json)
  return entries.length === 0 ? emptyMap : decodeStoredMap(Object.fromEntries(entries), open)
}

function framesOf(json: Json | undefined): readonly StackFrame[] {
  return itemsOf(json).map(item => {
    const [, position] = entriesOf(item).find(([key]) => key === 'sourcePosition') ?? []
    return typeof position === 'string' ? { sourcePosition: position } : {}
  })
}

function timeoutsOf(json: Json | undefined): CustomTimeouts {
  const seconds = entriesOf(json).filter(
    ([key, value]) =>
      ['create', 'update', 'delete', 'read'].includes(key) && typeof value === 'number',
  )
  return Object.fromEntries(seconds)
}
