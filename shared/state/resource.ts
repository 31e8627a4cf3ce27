/**
 * The folder `state`: the record of a resource, the snapshot of a stack, and their JSON form
 * (Pulumi's v3/v4). Its files import errors, names, values and secrets.
 *
 * Invariants: states are immutable, and a change creates a new one. Two states may have the same
 * URN, so a state is found by identity or base index, never by URN alone.
 */
import type { Urn } from '../names/urn.ts'
import { emptyMap, type PropertyMap, type PropertyValue } from '../values/value.ts'

/** Timeouts in seconds. A field is absent when not set. */
export interface CustomTimeouts {
  readonly create?: number
  readonly update?: number
  readonly delete?: number
  readonly read?: number
}

/** The timeouts of a resource that sets none, as most do. They share this object. */
export const noTimeouts: CustomTimeouts = {}

/** One line of a recorded stack trace. */
export interface StackFrame {
  readonly sourcePosition?: string
}

/**
 * A resource in the state (docs/spec/state-format.md#fields-of-a-resource). '' and empty lists mean
 * absent.
 */
export interface ResourceState {
  readonly urn: Urn
  readonly type: string
  /** Whether this is a custom resource or a provider. Components are not custom and have no id. */
  readonly custom: boolean
  /** Whether the resource was replaced, but is not deleted from the cloud yet. */
  readonly delete: boolean
  readonly id: string
  readonly inputs: PropertyMap
  readonly outputs: PropertyMap
  readonly parent: Urn | ''
  readonly protect: boolean
  /** Whether the next deployment replaces the resource. */
  readonly taint: boolean
  /** Whether the program only reads the resource, and Antichain does not manage it. */
  readonly external: boolean
  readonly dependencies: readonly Urn[]
  /** The errors of the initialization, which failed after the create or update of the resource. */
  readonly initErrors: readonly string[]
  /** `<provider urn>::<id>`, '' for components and providers. */
  readonly provider: string
  readonly propertyDependencies: ReadonlyMap<string, readonly Urn[]>
  /** Whether the resource was deleted from the cloud, but its replacement is not created yet. */
  readonly pendingReplacement: boolean
  readonly additionalSecretOutputs: readonly string[]
  /**
   * Former URNs under which this deployment found the resource. A published snapshot never contains
   * aliases.
   */
  readonly aliases: readonly Urn[]
  readonly customTimeouts: CustomTimeouts
  /** The id under which the program imported the resource. */
  readonly importID: string
  readonly retainOnDelete: boolean
  readonly deletedWith: Urn | ''
  readonly replaceWith: readonly Urn[]
  /**
   * The time of the creation in RFC 3339 and UTC. It is a text, because `Date` would lose digits.
   * '' = not set.
   */
  readonly created: string
  /** The time of the last change, in the format of `created`. */
  readonly modified: string
  readonly sourcePosition: string
  readonly stackTrace: readonly StackFrame[]
  readonly ignoreChanges: readonly string[]
  readonly hideDiff: readonly string[]
  readonly replaceOnChanges: readonly string[]
  readonly replacementTrigger: PropertyValue
  /** Whether the provider requires a refresh before the next update. */
  readonly refreshBeforeUpdate: boolean
  /**
   * For a view, the resource of which it is a part. Only the provider of that resource changes it.
   */
  readonly viewOf: Urn | ''
  /** Names of hooks by hook type. */
  readonly resourceHooks: ReadonlyMap<string, readonly string[]>
  /** The key of the package extension (name, version, value) in the snapshot's `extensions`. */
  readonly extensionRef: string
  /**
   * The `uuid` of the snippet that declares the resource. A snippet is a piece of code in a state
   * of Pulumi Cloud.
   */
  readonly snippetID: string
}

/** Creates a state with defaults for all other fields. */
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
    customTimeouts: noTimeouts,
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
