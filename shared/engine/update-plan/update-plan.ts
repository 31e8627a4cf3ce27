/**
 * update-plan: Pulumi's update plans. Here, *plan* always means an update plan, not the plan of the
 * glossary. A preview saves in a file the changes that it found. A later update is checked against
 * these changes. Imports state and below.
 *
 * Invariants: decisions are pure functions of data. A plan is read completely or refused. Its
 * secrets are sealed by the stack's secrets manager.
 */
import type { Urn } from '../../names/urn.ts'
import type { CustomTimeouts } from '../../state/resource.ts'
import type { PropertyMap } from '../../values/value.ts'

/** The planned changes of a resource's properties. Other properties stay unchanged. */
export interface PlannedDifference {
  readonly adds: PropertyMap
  readonly deletes: readonly string[]
  readonly updates: PropertyMap
}

/** An alias of a resource in the form of plan files: every field is present, empty when not set. */
export interface PlannedAlias {
  readonly urn: string
  readonly name: string
  readonly type: string
  readonly project: string
  readonly stack: string
  readonly parent: string
  readonly noParent: boolean
}

/** The options that a registration must repeat, and the allowed changes of its properties. */
export interface PlannedGoal {
  readonly type: string
  readonly name: string
  readonly custom: boolean
  readonly inputs: PlannedDifference
  readonly outputs: PlannedDifference
  readonly parent: string
  readonly protect: boolean
  readonly dependencies: readonly string[]
  readonly provider: string
  readonly propertyDependencies: ReadonlyMap<string, readonly string[]>
  readonly deleteBeforeReplace: boolean | undefined
  readonly ignoreChanges: readonly string[]
  readonly additionalSecretOutputs: readonly string[]
  readonly aliases: readonly PlannedAlias[]
  /** The id of the existing object that the registration imports, or ''. */
  readonly id: string
  readonly customTimeouts: CustomTimeouts
}

/** The plan for one resource. Without a goal, the resource is only deleted. */
export interface PlannedResource {
  readonly goal: PlannedGoal | undefined
  /** Steps in order, with the names that events use. */
  readonly ops: readonly string[]
  /** The outputs that the preview expected, for users. Undefined if it expected none. */
  readonly outputs: PropertyMap | undefined
  /**
   * The random seed of the Check calls of the resource. With this seed, an update creates the same
   * random values as the preview. Undefined if the plan has no seed for the resource.
   */
  readonly seed: Uint8Array | undefined
}

/** A complete update plan. */
export interface UpdatePlan {
  readonly resources: ReadonlyMap<Urn, PlannedResource>
}

/** A planned difference without changes. */
export const noDifference: PlannedDifference = { adds: new Map(), deletes: [], updates: new Map() }
