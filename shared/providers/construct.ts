import type { Alias } from '../names/alias.ts'
import type { Urn } from '../names/urn.ts'
import type { PropertyMap, PropertyValue } from '../values/value.ts'

/** What methods and components are told of the deployment that calls them. */
export interface DeploymentContext {
  readonly project: string
  readonly stack: string
  readonly organization: string
  /** `ns:key` → text, secrets opened, as the program gets it. */
  readonly config: ReadonlyMap<string, string>
  /** The keys of the configuration that are secret. */
  readonly configSecretKeys: readonly string[]
  readonly parallel: number
  /** `127.0.0.1:<port>` of the resource monitor. */
  readonly monitorAddress: string
}

/** How long a component's resources may take, as the program wrote it (`1h30m`); '' = not said. */
export interface Durations {
  readonly create: string
  readonly update: string
  readonly delete: string
  readonly read: string
}

/** Names of hooks, by moment. */
export interface HookNames {
  readonly beforeCreate: readonly string[]
  readonly afterCreate: readonly string[]
  readonly beforeUpdate: readonly string[]
  readonly afterUpdate: readonly string[]
  readonly beforeDelete: readonly string[]
  readonly afterDelete: readonly string[]
}

/** The options of a component; undefined = the program said nothing. */
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
  readonly customTimeouts: Durations | undefined
  readonly hooks: HookNames | undefined
}

/** A component that a provider is to make. Output values stay in the inputs. */
export interface ConstructInput {
  readonly type: string
  readonly name: string
  readonly parent: Urn | ''
  readonly inputs: PropertyMap
  readonly options: ConstructOptions
  readonly context: DeploymentContext
  /** What the component's registrations name, so that they are told with the caller's trace. */
  readonly stackTraceHandle: string
  readonly preview: boolean
}

/** What Construct answers; output values stay in the outputs. */
export interface ConstructResult {
  readonly urn: Urn
  readonly outputs: PropertyMap
  /** Output → what it depends on, as far as it is said apart. */
  readonly dependencies: ReadonlyMap<string, readonly Urn[]>
}
