import type { Urn } from '../../names/urn.ts'
import type { StepOp } from '../../records/operation.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { Step, TrackedState } from '../step.ts'
import type { Base } from '../deployment/state/base.ts'
import type { Goal } from './registration/goal.ts'

/** A resource as this deployment left it: its state, the place of its record, and its step. */
export interface CurrentState extends TrackedState {
  readonly op: StepOp
  /** Why it has no change: it is outside the scope, it is not created, or it is only read. */
  readonly skipReason?: 'kept' | 'not made' | 'as read'
}

/**
 * The decisions so far: the fold of the decision log, and nothing else. Readers see them as they
 * are now; `reduce-sets.ts` alone changes them.
 */
export interface GeneratorSets {
  /** URNs that the program registered or read in this run. */
  readonly registered: ReadonlySet<Urn>
  readonly goals: ReadonlyMap<Urn, Goal>
  /** Component → package → provider reference, for the children of the component. */
  readonly componentProviders: ReadonlyMap<Urn, ReadonlyMap<string, string>>
  /** Old URN → the URN that claimed it as an alias. */
  readonly aliased: ReadonlyMap<Urn, Urn>
  /** URN → the old URN that it claimed. */
  readonly formerUrns: ReadonlyMap<Urn, Urn>
  /** URNs with a step: same, update, replacement, read. A create does not count. */
  readonly operated: ReadonlySet<Urn>
  /** URNs that this deployment deletes or has deleted. */
  readonly deletes: ReadonlySet<Urn>
  /** Decided deletes before a replacement; `promise` resolves when the chain has ended. */
  readonly pendingDeletes: ReadonlyMap<Urn, { readonly promise: Promise<void> }>
  readonly replaces: ReadonlySet<Urn>
  /** Registered targets, named or found through their dependencies. */
  readonly targeted: ReadonlySet<Urn>
  /** Excluded registrations, named or found through their dependencies. */
  readonly excluded: ReadonlySet<Urn>
  /** Unregistered old states that stay because a resource that stays depends on them. */
  readonly pulledForward: ReadonlySet<Urn>
  /** Registrations that are not created: no target, or new in a destroy or refresh. */
  readonly skipped: ReadonlySet<Urn>
  /** Failed registrations after which the deployment continued, and those skipped for them. */
  readonly failed: ReadonlySet<Urn>
  /** Dependent → the keys for which it is replaced with its dependency. */
  readonly dependentKeys: ReadonlyMap<Urn, readonly string[]>
  /** Base indices that a completed replacement marked for deletion. */
  readonly markedForDelete: ReadonlySet<number>
  /** Base indices that were deleted before their replacement. */
  readonly pendingReplacement: ReadonlySet<number>
  /** Base indices with a delete step that has not failed. */
  readonly condemned: ReadonlySet<number>
  /** Base index → its state when the program registered it; undefined: it no longer exists. */
  readonly refreshed: ReadonlyMap<number, TrackedState | undefined>
  readonly current: ReadonlyMap<Urn, CurrentState>
  /** Views as the providers of their owners reported them. */
  readonly views: ReadonlyMap<Urn, ResourceState>
  /** Creates and updates of components: their hooks run once their outputs are registered. */
  readonly awaitingOutputs: ReadonlyMap<Urn, Step>
}

/** Returns an old state as it is now: as it was read in this run, or as the base has it. */
export function currentTrackedAt(
  { sets, base }: { readonly sets: GeneratorSets; readonly base: Pick<Base, 'trackedAt'> },
  index: number,
): TrackedState {
  return sets.refreshed.get(index) ?? base.trackedAt(index)
}

/** Reports whether an old state was read in this run and no longer exists. */
export function isGone({ refreshed }: GeneratorSets, index: number): boolean {
  return refreshed.has(index) && refreshed.get(index) === undefined
}

/** Reports whether an old URN has a step, under its own name or the one that claimed it. */
export function isOperatedOn(sets: GeneratorSets, urn: Urn): boolean {
  return sets.operated.has(sets.aliased.get(urn) ?? urn)
}
