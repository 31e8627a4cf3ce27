import type { Urn } from '../../../names/urn.ts'
import type { PackageRequest } from '../../../providers/package-request.ts'
import type { CustomTimeouts, StackFrame } from '../../../state/resource.ts'
import { emptyMap, type PropertyMap, type PropertyValue } from '../../../values/value.ts'
import type { Alias } from '../../../names/alias.ts'

/** One parsed registration of the program. Undefined members were not set by the program. */
export interface Registration {
  readonly type: string
  readonly name: string
  readonly custom: boolean
  readonly parent: Urn | ''
  readonly inputs: PropertyMap
  readonly protect: boolean | undefined
  readonly retainOnDelete: boolean | undefined
  readonly deletedWith: Urn | ''
  readonly dependencies: readonly Urn[]
  readonly propertyDependencies: ReadonlyMap<string, readonly Urn[]>
  /** An explicit provider reference. '' if the program specifies none. */
  readonly provider: string
  /** Package → provider reference, for the children of a component. */
  readonly providers: ReadonlyMap<string, string>
  /** The package and version that the program requests for the resource. */
  readonly plugin: PackageRequest
  /** Whether `plugin` is a package that the program registered. */
  readonly hasPackageRef: boolean
  /**
   * For a provider resource: environment variable of the user → variable of the plugin that gets
   * its value.
   */
  readonly envVarMappings: ReadonlyMap<string, string>
  readonly deleteBeforeReplace: boolean | undefined
  readonly ignoreChanges: readonly string[]
  readonly replaceOnChanges: readonly string[]
  readonly additionalSecretOutputs: readonly string[]
  readonly hideDiff: readonly string[]
  readonly aliases: readonly Alias[]
  readonly customTimeouts: CustomTimeouts
  readonly replaceWith: readonly Urn[]
  readonly replacementTrigger: PropertyValue
  /** Names of hooks by hook type. */
  readonly resourceHooks: ReadonlyMap<string, readonly string[]>
  /** The id of the existing resource to import, '' for none. */
  readonly importId: string
  readonly sourcePosition: string
  readonly stackTrace: readonly StackFrame[]
}

/** A registration with inherited options and a resolved provider. Decisions are based on it. */
export interface Goal
  extends Omit<Registration, 'plugin' | 'hasPackageRef' | 'envVarMappings' | 'providers'> {
  /** The reference of the resolved provider. '' for components and provider resources. */
  readonly provider: string
  /** The reference of the extension that the resource needs. Absent if there is none. */
  readonly extensionRef?: string
}

/** The parts of a goal that later decisions need. They stay in memory until the program ends. */
export type RegisteredGoal = Pick<
  Goal,
  | 'protect'
  | 'retainOnDelete'
  | 'deletedWith'
  | 'provider'
  | 'deleteBeforeReplace'
  | 'sourcePosition'
  | 'stackTrace'
>

/** Returns the parts of a goal that later decisions need. */
export function registeredGoalOf(goal: Goal): RegisteredGoal {
  const { protect, retainOnDelete, deletedWith, provider, deleteBeforeReplace } = goal
  const { sourcePosition, stackTrace } = goal
  return {
    protect,
    retainOnDelete,
    deletedWith,
    provider,
    deleteBeforeReplace,
    sourcePosition,
    stackTrace,
  }
}

/** The goal of a custom resource without options, as a template. */
export const emptyGoal: Goal = {
  type: '',
  name: '',
  custom: true,
  parent: '',
  inputs: emptyMap,
  protect: undefined,
  retainOnDelete: undefined,
  deletedWith: '',
  dependencies: [],
  propertyDependencies: new Map(),
  provider: '',
  deleteBeforeReplace: undefined,
  ignoreChanges: [],
  replaceOnChanges: [],
  additionalSecretOutputs: [],
  hideDiff: [],
  aliases: [],
  customTimeouts: {},
  replaceWith: [],
  replacementTrigger: null,
  resourceHooks: new Map(),
  importId: '',
  sourcePosition: '',
  stackTrace: [],
}

/** The options that a child inherits. Source: docs/spec/monitor.md#registerresource step 3. */
export type InheritableOptions = Pick<Registration, 'protect' | 'retainOnDelete' | 'deletedWith'>

/** Returns the registration with unset options taken from its parent's goal. */
export function inheritFromParent<T extends InheritableOptions>(
  registration: T,
  parent: InheritableOptions | undefined,
): T {
  if (parent === undefined) return registration
  return {
    ...registration,
    protect: registration.protect ?? parent.protect,
    retainOnDelete: registration.retainOnDelete ?? parent.retainOnDelete,
    deletedWith: registration.deletedWith === '' ? parent.deletedWith : registration.deletedWith,
  }
}
