/**
 * providers: how plugins are found, started and driven. Imports ports and below.
 *
 * `Provider` is our narrow interface to one configured (or not yet configured) plugin instance;
 * `pulumi/` implements it over pulumirpc. Values go in and out as property values: negotiation of
 * secrets, references and unknowns, wire options and re-marking are the driver's (provider-protocol
 * 4-6).
 *
 * Errors: a refused or failed call throws `ProviderError`; anything else thrown is a fault of ours.
 */
import type { NameProposal } from '../names/automatic-name.ts'
import type { Urn } from '../names/urn.ts'
import type { PropertyMap } from '../values/value.ts'
import type { Extension } from '../records/extension.ts'
import type { ConstructInput, ConstructResult, DeploymentContext } from './construct.ts'
import type { ProviderDescription, PluginInventory } from './provider-description.ts'
import type { ViewRequest } from './views.ts'

/** A failed check of one property ('' = the whole resource). */
export interface CheckFailure {
  readonly property: string
  readonly reason: string
}

/** What Check answers. */
export interface CheckResult {
  readonly inputs: PropertyMap
  readonly failures: readonly CheckFailure[]
  /** The plugin cannot be told of names: what was proposed was left out. */
  readonly isNameUnsupported?: boolean
}

/** One entry of a detailed diff. */
export interface PropertyDiff {
  readonly kind: 'add' | 'add-replace' | 'delete' | 'delete-replace' | 'update' | 'update-replace'
  readonly inputDiff: boolean
}

/**
 * What Diff answers. `detailedDiff` null: the provider gave none (not the same as an empty one).
 */
export interface DiffResult {
  readonly changes: 'unknown' | 'none' | 'some'
  readonly replaceKeys: readonly string[]
  readonly stableKeys: readonly string[]
  readonly changedKeys: readonly string[]
  readonly detailedDiff: ReadonlyMap<string, PropertyDiff> | null
  readonly deleteBeforeReplace: boolean
}

/** No difference. */
export const noDiff: DiffResult = {
  changes: 'none',
  replaceKeys: [],
  stableKeys: [],
  changedKeys: [],
  detailedDiff: null,
  deleteBeforeReplace: false,
}

/** What a resource is called in a request. */
export interface Subject {
  readonly urn: Urn
  readonly name: string
  readonly type: string
}

/** What Create answers; `id` is '' in a preview. */
export interface CreateResult {
  readonly id: string
  readonly outputs: PropertyMap
  readonly refreshBeforeUpdate: boolean
}

/** What Update answers. */
export interface UpdateResult {
  readonly outputs: PropertyMap
  readonly refreshBeforeUpdate: boolean
}

/** What Read answers: absent maps differ from empty ones (docs/spec/provider-protocol.md#read). */
export interface ReadResult {
  readonly id: string
  readonly inputs: PropertyMap | undefined
  readonly outputs: PropertyMap | undefined
  readonly refreshBeforeUpdate: boolean
  /** Reasons of an unhealthy read; the rest is filled all the same. */
  readonly initErrors: readonly string[]
}

/** What Invoke and Call answer. */
export interface CallResult {
  readonly outputs: PropertyMap
  readonly failures: readonly CheckFailure[]
  /** Of methods: output → what it depends on. */
  readonly dependencies?: ReadonlyMap<string, readonly Urn[]>
}

/** What is wrong with properties that were sent. */
export interface PropertyProblems {
  readonly message: string
  readonly properties: readonly { readonly path: string; readonly reason: string }[]
}

/** Why a provider call failed. */
export class ProviderError extends Error {
  /**
   * `ok`: nothing happened; `partial`: it exists but is not ready; `unknown`: the provider cannot
   * say; `lost`: the connection or process is gone, nobody can say.
   */
  readonly status: 'ok' | 'partial' | 'unknown' | 'lost'
  /** gRPC code. */
  readonly code: number
  /** Whether the request was never written, for want of a connection: it may be made again. */
  readonly isRequestUnsent: boolean
  /** What it says of single properties, and its message without that. */
  readonly problems: PropertyProblems | undefined
  /** Set when `status` is `partial`: what exists. */
  readonly partial:
    | {
        readonly id: string
        readonly outputs: PropertyMap
        readonly inputs: PropertyMap | undefined
        readonly reasons: readonly string[]
        readonly refreshBeforeUpdate: boolean
      }
    | undefined

  constructor(
    message: string,
    details: {
      status: ProviderError['status']
      code: number
      isRequestUnsent?: boolean
      problems?: PropertyProblems | undefined
      partial?: ProviderError['partial']
      cause?: unknown
    },
  ) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.name = 'ProviderError'
    this.status = details.status
    this.code = details.code
    this.isRequestUnsent = details.isRequestUnsent ?? false
    this.problems = details.problems
    this.partial = details.partial
  }
}

/** One plugin instance. Maps are opened property values; time limits in seconds, 0 = none. */
export interface Provider {
  readonly pkg: string
  /** The version that the plugin says it has, '' when it says none. */
  readonly version: string
  /**
   * Whether `configure` was left out because inputs were unknown: then every call answers locally.
   */
  readonly isUnconfigured: () => boolean
  /** Whether its process has ended: no call will be answered any more. */
  readonly isGone: () => boolean

  readonly checkConfig: (
    request: Subject & { olds: PropertyMap | undefined; news: PropertyMap; allowUnknowns: boolean },
  ) => Promise<CheckResult>
  readonly diffConfig: (
    request: Subject & {
      oldInputs: PropertyMap
      oldOutputs: PropertyMap
      newInputs: PropertyMap
      ignoreChanges: readonly string[]
    },
  ) => Promise<DiffResult>
  /**
   * Makes another package of the plugin, before anything else, or extends it, at any time. Throws
   * `ProviderError`, or PLUGIN_FAILED for an answer that names another package.
   */
  readonly parameterize: (request: Extension) => Promise<void>
  /**
   * Once per process; `inputs` without `__internal`. Later calls wait for it and fail with its
   * error.
   */
  readonly configure: (request: Subject & { id: string; inputs: PropertyMap }) => Promise<void>
  readonly check: (
    request: Subject & {
      olds: PropertyMap | undefined
      news: PropertyMap
      allowUnknowns: boolean
      randomSeed: Uint8Array
      naming?: NameProposal | undefined
    },
  ) => Promise<CheckResult>
  readonly diff: (
    request: Subject & {
      id: string
      oldInputs: PropertyMap
      oldOutputs: PropertyMap
      newInputs: PropertyMap
      ignoreChanges: readonly string[]
      allowUnknowns: boolean
    },
  ) => Promise<DiffResult>
  readonly create: (
    request: Subject & ViewRequest & { inputs: PropertyMap; timeout: number; preview: boolean },
  ) => Promise<CreateResult>
  /** `inputs` and `outputs` absent for an import. */
  readonly read: (
    request: Subject &
      ViewRequest & {
        id: string
        inputs: PropertyMap | undefined
        outputs: PropertyMap | undefined
        timeout: number
      },
  ) => Promise<ReadResult>
  readonly update: (
    request: Subject &
      ViewRequest & {
        id: string
        oldInputs: PropertyMap
        oldOutputs: PropertyMap
        newInputs: PropertyMap
        timeout: number
        ignoreChanges: readonly string[]
        preview: boolean
      },
  ) => Promise<UpdateResult>
  readonly delete: (
    request: Subject &
      ViewRequest & { id: string; inputs: PropertyMap; outputs: PropertyMap; timeout: number },
  ) => Promise<void>
  readonly invoke: (request: {
    token: string
    args: PropertyMap
    preview: boolean
  }) => Promise<CallResult>
  /**
   * A method. Output values stay in arguments and outputs; `argDependencies` has every argument.
   */
  readonly call: (request: {
    token: string
    args: PropertyMap
    argDependencies: ReadonlyMap<string, readonly Urn[]>
    context: DeploymentContext
    stackTraceHandle: string
    preview: boolean
  }) => Promise<CallResult>
  /**
   * A component that the provider makes of other resources, which it registers itself.
   * `unconfigured`: it was not asked.
   */
  readonly construct: (request: ConstructInput) => Promise<ConstructResult | 'unconfigured'>
  /** What it says of itself, where it is a plugin. */
  readonly describe?: ProviderDescription
  /** Asks the plugin to end what runs soon (Ctrl-C). */
  readonly cancel: () => Promise<void>
  /** Never throws. Source: docs/spec/provider-protocol.md#cancellation-and-shutdown. */
  readonly close: () => Promise<void>
}

/** What names a plugin. Checksums: `linux-amd64` → hex SHA-256. */
export interface PluginDescriptor {
  /** `resource`, or another kind that is only found, installed and run. */
  readonly kind: string
  readonly name: string
  /** '' = any. */
  readonly version: string
  readonly downloadUrl: string
  readonly checksums?: ReadonlyMap<string, string>
}

/** Where plugins come from and how they are started. */
export interface PluginHost extends PluginInventory {
  /**
   * Starts one instance. Throws PLUGIN_MISSING (with what was looked for and where) or
   * PLUGIN_FAILED.
   */
  readonly load: (
    plugin: PluginDescriptor,
    options: {
      readonly pkg: string
      readonly config: Readonly<Record<string, string>>
      /** Variable of the user → the variable of the plugin that gets its value. */
      readonly envVarMappings?: ReadonlyMap<string, string>
    },
  ) => Promise<Provider>
  /**
   * Finds it, or installs it where that may be; else why it is missing, with every place that was
   * looked at. Throws PLUGIN_CHECKSUM.
   */
  readonly obtain: (
    plugin: PluginDescriptor,
  ) => Promise<{ readonly path: string } | { readonly missing: string }>
  /** Asks all to end what runs soon. */
  readonly cancelAll: () => Promise<void>
  /** Says that all plugins are about to be killed: their end is no fault of theirs. */
  readonly abandon: () => void
  /** Ends all instances. */
  readonly close: () => Promise<void>
}
