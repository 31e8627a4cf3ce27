import type { Urn } from '../../names/urn.ts'
import type { StepOp } from '../../records/operation.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { Step, TrackedState } from '../step.ts'
import type { Base } from '../deployment/state/base.ts'
import type { RegisteredGoal } from './registration/goal.ts'

/**
 * The newest state of a resource in this deployment, with the reference to its record and the kind
 * of its step.
 */
export interface CurrentState extends TrackedState {
  readonly op: StepOp
  /**
   * The reason why the resource is not changed. `kept`: it is outside of the scope, or the program
   * has not registered it but another resource needs it. `not created`: it is new and outside of
   * the scope, or new in a destroy or refresh. A resource that needs such a resource is not created
   * either. `as read`: in a refresh, it keeps the state that was read, or its old state if the
   * scope excludes it.
   */
  readonly skipReason?: 'kept' | 'not created' | 'as read'
}

/**
 * The decisions so far. A later generator run restores some of the sets from the decision log, and
 * computes the others again. Readers see every change immediately, and only `reduce-sets.ts` makes
 * changes.
 */
export interface GeneratorSets {
  /** URNs that the program registered or read in this generator run. */
  readonly registeredUrns: ReadonlySet<Urn>
  /** Registered URN → the goal of its registration. */
  readonly goals: ReadonlyMap<Urn, RegisteredGoal>
  /** Component → package → provider reference, for the children of the component. */
  readonly componentProviders: ReadonlyMap<Urn, ReadonlyMap<string, string>>
  /** Old URN → the registered URN that has it as an alias. */
  readonly aliasingUrns: ReadonlyMap<Urn, Urn>
  /** Registered URN → the old URN that it has as an alias. */
  readonly formerUrns: ReadonlyMap<Urn, Urn>
  /**
   * URNs of the decisions other than creates: same, update, replacement, read, refresh, import, and
   * skipped. States of the base whose URN is not handled are deleted at the end. So a create does
   * not handle its URN: an old state with this URN must be deleted.
   */
  readonly handledUrns: ReadonlySet<Urn>
  /** URNs that this deployment deletes or has deleted. */
  readonly deletedUrns: ReadonlySet<Urn>
  /**
   * Decided deletes before a replacement. `promise` resolves when the delete has ended or does not
   * take place.
   */
  readonly pendingDeletes: ReadonlyMap<Urn, { readonly promise: Promise<void> }>
  /** URNs that this deployment replaces. */
  readonly replacedUrns: ReadonlySet<Urn>
  /** Registered targets: specified by the user, or dependents of targets. */
  readonly targetedUrns: ReadonlySet<Urn>
  /** Excluded registrations: specified by the user, or dependents of excluded resources. */
  readonly excludedUrns: ReadonlySet<Urn>
  /**
   * Old URNs of states that stay unchanged: untargeted resources, and old states on which other
   * resources depend.
   */
  readonly keptOldUrns: ReadonlySet<Urn>
  /**
   * Registered resources that are not created. They are new and outside of the scope, are new in a
   * destroy or refresh, or need a resource that is not created.
   */
  readonly uncreatedUrns: ReadonlySet<Urn>
  /**
   * Registrations that failed without ending the deployment, and registrations that failed because
   * they depend on these.
   */
  readonly failedUrns: ReadonlySet<Urn>
  /** Dependent → the property keys that cause its replacement when its dependency is replaced. */
  readonly dependentKeys: ReadonlyMap<Urn, readonly string[]>
  /** Base indices of states that a completed replacement marked for deletion. */
  readonly markedForDeleteIndices: ReadonlySet<number>
  /** Base indices of states whose resources were deleted before their replacement. */
  readonly pendingReplacementIndices: ReadonlySet<number>
  /** Base indices of states with a delete step that has not failed. */
  readonly condemnedIndices: ReadonlySet<number>
  /**
   * Base index → the state that was read when the program registered the resource. Undefined if the
   * resource no longer exists.
   */
  readonly refreshedStates: ReadonlyMap<number, TrackedState | undefined>
  /** URN → the newest state of its resource in this deployment. */
  readonly currentStates: ReadonlyMap<Urn, CurrentState>
  /** Views that the providers of their owners reported, and views of unchanged owners. */
  readonly views: ReadonlyMap<Urn, ResourceState>
  /**
   * Creates and updates of components whose after hooks wait until the program registers the
   * outputs.
   */
  readonly stepsAwaitingOutputs: ReadonlyMap<Urn, Step>
}

/** Returns the newest old state: the one that this deployment read, or else that in the base. */
export function findNewestOldState(
  { sets, base }: { readonly sets: GeneratorSets; readonly base: Pick<Base, 'trackedStateAt'> },
  index: number,
): TrackedState {
  return sets.refreshedStates.get(index) ?? base.trackedStateAt(index)
}

/** Reports whether this deployment read an old state and found that its resource is gone. */
export function isResourceGone({ refreshedStates }: GeneratorSets, index: number): boolean {
  return refreshedStates.has(index) && refreshedStates.get(index) === undefined
}

/** Reports whether an old URN is handled, by itself or by a registered URN with this alias. */
export function isUrnHandled(sets: GeneratorSets, urn: Urn): boolean {
  return sets.handledUrns.has(sets.aliasingUrns.get(urn) ?? urn)
}
