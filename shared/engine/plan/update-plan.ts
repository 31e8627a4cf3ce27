/**
 * plan: update plans: what a preview found that an update would do, kept in a file, and what holds
 * a later update to it. Imports state and below, and the records' words.
 *
 * Invariants: decisions are pure functions of data; a plan is read whole or refused; its secrets
 * are sealed by the stack's secrets manager.
 */
import type { Urn } from '../../names/urn.ts'
import type { CustomTimeouts } from '../../state/resource.ts'
import type { PropertyMap } from '../../values/value.ts'

/** What a plan expects of the properties of a resource; what it does not name stays. */
export interface PlannedDifference {
  readonly adds: PropertyMap
  readonly deletes: readonly string[]
  readonly updates: PropertyMap
}

/** Another name of a resource, as plan files have it: every field, empty where it says nothing. */
export interface PlannedAlias {
  readonly urn: string
  readonly name: string
  readonly type: string
  readonly project: string
  readonly stack: string
  readonly parent: string
  readonly noParent: boolean
}

/** The options that a registration must repeat, and how its properties may change. */
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
  readonly id: string
  readonly customTimeouts: CustomTimeouts
}

/** What is planned for one resource. Without a goal it is only to be deleted. */
export interface PlannedResource {
  readonly goal: PlannedGoal | undefined
  /** Steps in order, in the words of events. */
  readonly ops: readonly string[]
  /** What it was expected to be; for people. */
  readonly outputs: PropertyMap | undefined
  /** The seed of its Checks, so that chance falls alike. */
  readonly seed: Uint8Array | undefined
}

/** A whole plan. */
export interface UpdatePlan {
  readonly resources: ReadonlyMap<Urn, PlannedResource>
}

/** Nothing changes. */
export const noDifference: PlannedDifference = { adds: new Map(), deletes: [], updates: new Map() }
