import type { Alias } from '../names/alias.ts'
import type { Urn } from '../names/urn.ts'
import type { PropertyMap, PropertyValue } from '../values/value.ts'

/** The description of the deployment that methods and components receive. */
export interface DeploymentContext {
  readonly project: string
  readonly stack: string
  readonly organization: string
  /** `ns:key` → text, with decrypted secrets, as the program receives it. */
  readonly config: ReadonlyMap<string, string>
  /** The secret keys of the configuration. */
  readonly configSecretKeys: readonly string[]
  readonly parallel: number
  /** Address of the resource monitor: `127.0.0.1:<port>`. */
  readonly monitorAddress: string
}

/**
 * The timeouts of a component's resources as written in the program (`1h30m`). '' = unspecified.
 */
export interface TimeoutTexts {
  readonly create: string
  readonly update: string
  readonly delete: string
  readonly read: string
}

/** Names of hooks, by event. */
export interface HookNames {
  readonly beforeCreate: readonly string[]
  readonly afterCreate: readonly string[]
  readonly beforeUpdate: readonly string[]
  readonly afterUpdate: readonly string[]
  readonly beforeDelete: readonly string[]
  readonly afterDelete: readonly string[]
}

/** The options of a component. Undefined = not set by the program. */
export interface ConstructOptions {
  readonly aliases: readonly Alias[]
  readonly dependencies: readonly Urn[]
  readonly inputDependencies: ReadonlyMap<string, readonly Urn[]>
  readonly protect: boolean | undefined
  readonly retainOnDelete: boolean | undefined
  readonly deleteBeforeReplace: boolean | undefined
  readonly deletedWith: Urn | ''
  readonly replaceWith: readonly Urn[]
  /** null = none. */
  readonly replacementTrigger: PropertyValue
  readonly ignoreChanges: readonly string[]
  readonly replaceOnChanges: readonly string[]
  readonly additionalSecretOutputs: readonly string[]
  /** Package → provider reference. */
  readonly providers: ReadonlyMap<string, string>
  readonly customTimeouts: TimeoutTexts | undefined
  readonly hooks: HookNames | undefined
}

/** A component for a provider to construct. The inputs contain output values. */
export interface ConstructInput {
  readonly type: string
  readonly name: string
  readonly parent: Urn | ''
  readonly inputs: PropertyMap
  readonly options: ConstructOptions
  readonly context: DeploymentContext
  /**
   * A reference to the caller's stack trace. The registrations of the component carry this
   * reference, so that messages can show the trace.
   */
  readonly stackTraceHandle: string
  readonly preview: boolean
}

/** The result of Construct. The outputs contain output values. */
export interface ConstructResult {
  readonly urn: Urn
  readonly outputs: PropertyMap
  /** Output → its dependencies, where the response lists them separately. */
  readonly dependencies: ReadonlyMap<string, readonly Urn[]>
}
