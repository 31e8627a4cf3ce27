import type { Urn } from '../../../names/urn.ts'
import type { PackageRequest } from '../../../providers/package-request.ts'
import type { CustomTimeouts, StackFrame } from '../../../state/resource.ts'
import { emptyMap, type PropertyMap, type PropertyValue } from '../../../values/value.ts'
import type { Alias } from '../../../names/alias.ts'

/** One registration as the program sent it, parsed; undefined = the program did not set it. */
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
  /** An explicit reference, '' otherwise. */
  readonly provider: string
  /** Package → reference, for the children of a component. */
  readonly providers: ReadonlyMap<string, string>
  readonly plugin: PackageRequest
  /** Whether `plugin` is a package that the program registered. */
  readonly isPackage: boolean
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
  /** Names of hooks by the moment at which they run. */
  readonly resourceHooks: ReadonlyMap<string, readonly string[]>
  /** The id of the existing resource to import, '' for none. */
  readonly importId: string
  readonly sourcePosition: string
  readonly stackTrace: readonly StackFrame[]
}

/** A registration with inherited options and its provider resolved: decisions are made from it. */
export interface Goal
  extends Omit<Registration, 'plugin' | 'isPackage' | 'envVarMappings' | 'providers'> {
  /** A provider reference; '' for components and provider resources. */
  readonly provider: string
  /** The reference of the extension that the provider needs; absent: none. */
  readonly extensionRef?: string
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

/** The options that a child inherits. Source: docs/spec/monitor.md#resourcemonitor step 3. */
export type Inheritable = Pick<Registration, 'protect' | 'retainOnDelete' | 'deletedWith'>

/** Returns the registration with unset options taken from its parent's goal. */
export function inherit<T extends Inheritable>(
  registration: T,
  parent: Inheritable | undefined,
): T {
  if (parent === undefined) return registration
  return {
    ...registration,
    protect: registration.protect ?? parent.protect,
    retainOnDelete: registration.retainOnDelete ?? parent.retainOnDelete,
    deletedWith: registration.deletedWith === '' ? parent.deletedWith : registration.deletedWith,
  }
}
