import type { Urn } from '../../names/urn.ts'
import type { RecordedSetsDelta } from '../../records/log.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { Step, TrackedState } from '../step.ts'
import type { RegisteredGoal } from './registration/goal.ts'
import type { CurrentState } from './sets.ts'

/**
 * A change of the generator's sets, as data: the recorded `RecordedSetsDelta`, plus changes that
 * are not recorded. A field without a comment adds to the set with the same name in
 * `GeneratorSets`, except these:
 * - `deleted` adds to `deletedUrns`, `replaced` to `replacedUrns`, `targeted` to `targetedUrns`.
 * - `refreshed` adds to `refreshedStates`.
 * - `aliased` adds to `aliasingUrns` and `formerUrns`.
 */
export interface SetsDelta extends RecordedSetsDelta {
  readonly registeredUrns?: readonly Urn[]
  readonly goals?: readonly (readonly [urn: Urn, goal: RegisteredGoal])[]
  readonly componentProviders?: readonly (readonly [
    component: Urn,
    references: ReadonlyMap<string, string>,
  ])[]
  readonly handledUrns?: readonly Urn[]
  readonly excludedUrns?: readonly Urn[]
  readonly keptOldUrns?: readonly Urn[]
  readonly uncreatedUrns?: readonly Urn[]
  readonly failedUrns?: readonly Urn[]
  readonly markedForDeleteIndices?: readonly number[]
  readonly pendingReplacementIndices?: readonly number[]
  readonly condemnedIndices?: readonly number[]
  readonly refreshed?: readonly (readonly [
    baseIndex: number,
    readState: TrackedState | undefined,
  ])[]
  readonly currentStates?: readonly (readonly [urn: Urn, current: CurrentState])[]
  readonly views?: readonly ResourceState[]
  readonly stepsAwaitingOutputs?: readonly Step[]
  /**
   * URNs whose delete before a replacement was decided. Each one gets a promise in
   * `pendingDeletes`.
   */
  readonly startedDeletes?: readonly Urn[]
  /**
   * URNs whose delete before a replacement has ended or does not take place. Their promises in
   * `pendingDeletes` resolve.
   */
  readonly endedDeletes?: readonly Urn[]
  /** The elements to remove. The reducer removes them before it adds others. */
  readonly removed?: SetsRemoval
}

/**
 * The elements that a delta removes from the sets. The URNs in `deleted`, `replaced` and `targeted`
 * are removed from `deletedUrns`, `replacedUrns` and `targetedUrns`.
 */
export interface SetsRemoval {
  readonly handledUrns?: readonly Urn[]
  readonly deleted?: readonly Urn[]
  readonly replaced?: readonly Urn[]
  readonly targeted?: readonly Urn[]
  readonly uncreatedUrns?: readonly Urn[]
  /** The dependents whose property keys are removed from the map `dependentKeys`. */
  readonly dependentKeys?: readonly Urn[]
  readonly currentStates?: readonly Urn[]
  readonly stepsAwaitingOutputs?: readonly Urn[]
  readonly markedForDeleteIndices?: readonly number[]
  readonly pendingReplacementIndices?: readonly number[]
  readonly condemnedIndices?: readonly number[]
}
