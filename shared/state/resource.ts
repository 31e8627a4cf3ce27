/**
 * state: the record of a resource, the snapshot of a stack, and their JSON form (Pulumi's v3/v4).
 * Imports errors, config, names, values and secrets.
 *
 * Invariants: states are never changed in place, a change makes a new one; two states of one URN
 * are normal, so a state is found by identity or by base index, never by URN alone.
 */
import type { Urn } from '../names/urn.ts'
import { emptyMap, type PropertyMap, type PropertyValue } from '../values/value.ts'

/** Time limits in seconds; a field is absent when not set. */
export interface CustomTimeouts {
  readonly create?: number
  readonly update?: number
  readonly delete?: number
  readonly read?: number
}

/** One line of a recorded stack trace. */
export interface StackFrame {
  readonly sourcePosition?: string
}

/**
 * One resource as the state has it (docs/spec/state-format.md#fields-of-a-resource). '' and empty
 * lists stand for "not there".
 */
export interface ResourceState {
  readonly urn: Urn
  readonly type: string
  /** Whether a provider manages it; components are not custom and have no id. */
  readonly custom: boolean
  /** Superseded by a replacement, still there physically. */
  readonly delete: boolean
  readonly id: string
  readonly inputs: PropertyMap
  readonly outputs: PropertyMap
  readonly parent: Urn | ''
  readonly protect: boolean
  readonly taint: boolean
  /** Read, not owned. */
  readonly external: boolean
  readonly dependencies: readonly Urn[]
  readonly initErrors: readonly string[]
  /** `<provider urn>::<id>`, '' for components and providers. */
  readonly provider: string
  readonly propertyDependencies: ReadonlyMap<string, readonly Urn[]>
  /** Deleted physically, its create outstanding. */
  readonly pendingReplacement: boolean
  readonly additionalSecretOutputs: readonly string[]
  /** The alias that was used in this deployment; never in a published snapshot. */
  readonly aliases: readonly Urn[]
  readonly customTimeouts: CustomTimeouts
  readonly importID: string
  readonly retainOnDelete: boolean
  readonly deletedWith: Urn | ''
  readonly replaceWith: readonly Urn[]
  /** RFC 3339, UTC, as text: `Date` would lose digits. '' = not set. */
  readonly created: string
  readonly modified: string
  readonly sourcePosition: string
  readonly stackTrace: readonly StackFrame[]
  readonly ignoreChanges: readonly string[]
  readonly hideDiff: readonly string[]
  readonly replaceOnChanges: readonly string[]
  readonly replacementTrigger: PropertyValue
  readonly refreshBeforeUpdate: boolean
  readonly viewOf: Urn | ''
  readonly resourceHooks: ReadonlyMap<string, readonly string[]>
  readonly extensionRef: string
  readonly snippetID: string
}

/** A state with nothing set but what is given. */
export function createResourceState(
  fields: Pick<ResourceState, 'urn' | 'type' | 'custom'> & Partial<ResourceState>,
): ResourceState {
  return {
    delete: false,
    id: '',
    inputs: emptyMap,
    outputs: emptyMap,
    parent: '',
    protect: false,
    taint: false,
    external: false,
    dependencies: [],
    initErrors: [],
    provider: '',
    propertyDependencies: new Map(),
    pendingReplacement: false,
    additionalSecretOutputs: [],
    aliases: [],
    customTimeouts: {},
    importID: '',
    retainOnDelete: false,
    deletedWith: '',
    replaceWith: [],
    created: '',
    modified: '',
    sourcePosition: '',
    stackTrace: [],
    ignoreChanges: [],
    hideDiff: [],
    replaceOnChanges: [],
    replacementTrigger: null,
    refreshBeforeUpdate: false,
    viewOf: '',
    resourceHooks: new Map(),
    extensionRef: '',
    snippetID: '',
    ...fields,
  }
}
