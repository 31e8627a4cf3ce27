import type { Urn } from '../../names/urn.ts'
import type { PackageRequest } from '../../providers/package-request.ts'
import type { CustomTimeouts, StackFrame } from '../../state/resource.ts'
import type { PropertyMap, PropertyValue } from '../../values/value.ts'
import type { Alias } from './aliases.ts'

/** One registration as the program sent it, parsed; undefined = the program said nothing. */
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
  /** Whether `plugin` is what the program registered as a package. */
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
  readonly sourcePosition: string
  readonly stackTrace: readonly StackFrame[]
}

/**
 * A registration with everything inherited and its provider resolved: what decisions are made from.
 */
export interface Goal
  extends Omit<Registration, 'plugin' | 'isPackage' | 'envVarMappings' | 'providers'> {
  /** A provider reference; '' for components and provider resources. */
  readonly provider: string
  /** What the provider must be extended by, by its reference; absent: nothing. */
  readonly extensionRef?: string
}

/** What a parent hands down. Source: `engine.md` 2.2 step 3. */
export type Inheritable = Pick<Registration, 'protect' | 'retainOnDelete' | 'deletedWith'>

/** The registration with what it left open taken from its parent's goal. */
export function inherit(registration: Registration, parent: Inheritable | undefined): Registration {
  if (parent === undefined) return registration
  return {
    ...registration,
    protect: registration.protect ?? parent.protect,
    retainOnDelete: registration.retainOnDelete ?? parent.retainOnDelete,
    deletedWith: registration.deletedWith === '' ? parent.deletedWith : registration.deletedWith,
  }
}
