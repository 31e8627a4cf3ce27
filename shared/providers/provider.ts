/**
 * providers: finds, starts and calls plugins. Imports ports and below.
 *
 * `Provider` is the narrow interface to one plugin instance, configured or not. `pulumi/`
 * implements it for plugins of Pulumi, `terraform/driver` for providers of Terraform, and `builtin`
 * for the types of the engine itself. Arguments and results are property values. The implementation
 * in `pulumi/` negotiates with its plugin which kinds of values it may send. It encodes them, and
 * restores secret marks (docs/spec/provider-protocol.md#negotiation).
 *
 * Errors: a refused or failed call throws `ProviderError`. Docstrings name all other errors, except
 * those that are bugs of this project.
 */
import type { NameProposal } from '../names/propose-name.ts'
import type { Urn } from '../names/urn.ts'
import type { PropertyMap } from '../values/value.ts'
import type { PackageParameterization } from '../records/package-parameterization.ts'
import type {
  ConstructInput,
  ConstructResult,
  DeploymentContext,
} from './component-construction.ts'
import type { ProviderDescription, PluginInventory } from './provider-description.ts'
import type { ViewRequest } from './views.ts'

/** A failed check of one property ('' = the whole resource). */
export interface CheckFailure {
  readonly property: string
  readonly reason: string
}

/** The result of Check. */
export interface CheckResult {
  readonly inputs: PropertyMap
  readonly failures: readonly CheckFailure[]
  /** True: the plugin supports no name proposals, so the request omitted the proposal. */
  readonly isNamingUnsupported?: boolean
}

/** One entry of a detailed diff. */
export interface PropertyDiff {
  readonly kind: 'add' | 'add-replace' | 'delete' | 'delete-replace' | 'update' | 'update-replace'
  /** True: the old and the new inputs differ. False: the old outputs differ from the new inputs. */
  readonly inputDiff: boolean
}

/** The result of Diff. `detailedDiff` is null, and not empty, if the provider returned none. */
export interface DiffResult {
  readonly changes: 'unknown' | 'none' | 'some'
  readonly replaceKeys: readonly string[]
  readonly stableKeys: readonly string[]
  readonly changedKeys: readonly string[]
  readonly detailedDiff: ReadonlyMap<string, PropertyDiff> | null
  readonly deleteBeforeReplace: boolean
  /**
   * The outputs of an unchanged resource, if the provider records them in a newer form. Absent: the
   * old outputs stay.
   */
  readonly upgradedOutputs?: PropertyMap
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

/** The identity of a resource in a request. */
export interface ResourceIdentity {
  readonly urn: Urn
  readonly name: string
  readonly type: string
}

/** The result of Create. `id` may be '' in a preview. */
export interface CreateResult {
  readonly id: string
  readonly outputs: PropertyMap
  readonly refreshBeforeUpdate: boolean
}

/** The result of Update. */
export interface UpdateResult {
  readonly outputs: PropertyMap
  readonly refreshBeforeUpdate: boolean
}

/** The result of Read. Absent maps differ from empty ones (docs/spec/provider-protocol.md#read). */
export interface ReadResult {
  readonly id: string
  readonly inputs: PropertyMap | undefined
  readonly outputs: PropertyMap | undefined
  readonly refreshBeforeUpdate: boolean
  /** The reasons why the resource is unhealthy. Empty for a healthy resource. */
  readonly initErrors: readonly string[]
}

/** The result of Invoke and Call. */
export interface CallResult {
  readonly outputs: PropertyMap
  readonly failures: readonly CheckFailure[]
  /** Only for methods: output → its dependencies. */
  readonly dependencies?: ReadonlyMap<string, readonly Urn[]>
}

/** One plugin instance. Maps contain decrypted property values. A timeout of 0 means none. */
export interface Provider {
  /** The package that the plugin serves. */
  readonly pkg: string
  /** The version that the plugin reports, '' for none. */
  readonly version: string
  /**
   * Returns whether `configure` was skipped because inputs were unknown. Calls about resources and
   * functions then send no request that needs the configuration.
   */
  readonly isUnconfigured: () => boolean
  /** Returns whether the process of the instance has ended. Then no call gets a response. */
  readonly hasEnded: () => boolean

  readonly checkConfig: (
    request: ResourceIdentity & {
      oldInputs: PropertyMap | undefined
      newInputs: PropertyMap
      allowUnknowns: boolean
    },
  ) => Promise<CheckResult>
  readonly diffConfig: (
    request: ResourceIdentity & {
      oldInputs: PropertyMap
      oldOutputs: PropertyMap
      newInputs: PropertyMap
      ignoreChanges: readonly string[]
    },
  ) => Promise<DiffResult>
  /**
   * Makes the plugin serve another package (only before all other calls), or extends it by another
   * package (at any time). Throws `ProviderError`, or PLUGIN_FAILED when the response names a
   * package that was not requested.
   */
  readonly parameterize: (request: PackageParameterization) => Promise<void>
  /**
   * Makes the plugin serve the package that the arguments of a command line describe, only before
   * all other calls. Absent when the provider takes no arguments. Throws `ProviderError`.
   */
  readonly parameterizeByArguments?: (
    args: readonly string[],
  ) => Promise<{ readonly name: string; readonly version: string }>
  /**
   * Configures the process, which is possible only once. The caller removes `__internal` from
   * `inputs`. `__internal` holds the engine's own settings, such as the version of the plugin.
   * Later calls wait for the configuration and fail with its error.
   */
  readonly configure: (
    request: ResourceIdentity & { id: string; inputs: PropertyMap },
  ) => Promise<void>
  readonly check: (
    request: ResourceIdentity & {
      oldInputs: PropertyMap | undefined
      newInputs: PropertyMap
      allowUnknowns: boolean
      randomSeed: Uint8Array
      naming?: NameProposal | undefined
    },
  ) => Promise<CheckResult>
  readonly diff: (
    request: ResourceIdentity & {
      id: string
      oldInputs: PropertyMap
      oldOutputs: PropertyMap
      newInputs: PropertyMap
      ignoreChanges: readonly string[]
      allowUnknowns: boolean
    },
  ) => Promise<DiffResult>
  readonly create: (
    request: ResourceIdentity &
      ViewRequest & { inputs: PropertyMap; timeoutSeconds: number; preview: boolean },
  ) => Promise<CreateResult>
  /** Reads a resource. `inputs` and `outputs` are absent for an import. */
  readonly read: (
    request: ResourceIdentity &
      ViewRequest & {
        id: string
        inputs: PropertyMap | undefined
        outputs: PropertyMap | undefined
        timeoutSeconds: number
      },
  ) => Promise<ReadResult>
  readonly update: (
    request: ResourceIdentity &
      ViewRequest & {
        id: string
        oldInputs: PropertyMap
        oldOutputs: PropertyMap
        newInputs: PropertyMap
        timeoutSeconds: number
        ignoreChanges: readonly string[]
        preview: boolean
      },
  ) => Promise<UpdateResult>
  readonly delete: (
    request: ResourceIdentity &
      ViewRequest & {
        id: string
        inputs: PropertyMap
        outputs: PropertyMap
        timeoutSeconds: number
        /** Whether the delete is the first step of a replacement, before the create. */
        isFirstOfReplacement?: boolean
      },
  ) => Promise<void>
  readonly invoke: (request: {
    token: string
    args: PropertyMap
    preview: boolean
  }) => Promise<CallResult>
  /**
   * Calls a method. Arguments and outputs contain output values; `argDependencies` has an entry for
   * every argument. `stackTraceHandle` refers to the caller's stack trace, as in `ConstructInput`.
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
   * Constructs a component. The provider registers the component and its children itself.
   * `unconfigured`: no request was sent.
   */
  readonly construct: (request: ConstructInput) => Promise<ConstructResult | 'unconfigured'>
  /** The self-description of the plugin. Absent for the built-in provider. */
  readonly describe?: ProviderDescription
  /** Requests the plugin to end running operations soon (Ctrl-C). */
  readonly cancel: () => Promise<void>
  /**
   * Ends the instance. Never throws. Source:
   * docs/spec/provider-protocol.md#cancellation-and-shutdown.
   */
  readonly close: () => Promise<void>
}

/** The identity of a plugin. Checksums: `linux-amd64` → hex SHA-256. */
export interface PluginDescriptor {
  /**
   * `resource` for a provider. `load` starts no other kind. A `converter`, a `language` or another
   * kind is only found and installed, and runs without a `Provider`.
   */
  readonly kind: string
  readonly name: string
  /** '' = any. */
  readonly version: string
  readonly downloadUrl: string
  readonly checksums?: ReadonlyMap<string, string>
}

/** Finds and starts plugins. */
export interface PluginHost extends PluginInventory {
  /**
   * Starts one instance. Throws PLUGIN_MISSING (with name, version and searched places),
   * PLUGIN_FAILED and the errors of `obtain`.
   */
  readonly load: (
    plugin: PluginDescriptor,
    options: {
      /** The package that the plugin shall serve. */
      readonly pkg: string
      /**
       * The stack's configuration of the package, with keys without namespace. The plugin gets it
       * in the variable PULUMI_CONFIG.
       */
      readonly packageConfig: Readonly<Record<string, string>>
      /** Variable of the user → variable of the plugin that gets its value. */
      readonly envVarMappings?: ReadonlyMap<string, string>
    },
  ) => Promise<Provider>
  /**
   * Finds a plugin, or installs a missing one if allowed. `missing` is the reason of a failure,
   * with all searched places. Throws the errors of the installation, except PLUGIN_DOWNLOAD and
   * PLUGIN_ADDRESS, which become the reason.
   */
  readonly obtain: (
    plugin: PluginDescriptor,
  ) => Promise<{ readonly path: string } | { readonly missing: string }>
  /** Requests the end of all running operations, and kills plugins that are still starting. */
  readonly cancelAll: () => Promise<void>
  /**
   * Announces that all plugins are about to be killed. The end of a plugin is then not reported as
   * an error. Plugins that are still starting are killed.
   */
  readonly abandon: () => void
  /** Ends all instances. */
  readonly close: () => Promise<void>
}
