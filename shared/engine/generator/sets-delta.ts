import type { Urn } from '../../names/urn.ts'
import type { SetDelta } from '../../records/log.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { Step, TrackedState } from '../step.ts'
import type { Goal } from './registration/goal.ts'
import type { CurrentState } from './sets.ts'

/**
 * A change of the generator's sets, as data: the recorded `SetDelta`, extended by the kinds that
 * live in memory only. Each member adds to the set of its name in `GeneratorSets`; `deleted` adds
 * to `deletes`, `replaced` to `replaces`, and `aliased` to `aliased` and `formerUrns`.
 */
export interface SetsDelta extends SetDelta {
  readonly registered?: readonly Urn[]
  readonly goals?: readonly (readonly [urn: Urn, goal: Goal])[]
  readonly componentProviders?: readonly (readonly [
    component: Urn,
    references: ReadonlyMap<string, string>,
  ])[]
  readonly operated?: readonly Urn[]
  readonly excluded?: readonly Urn[]
  readonly pulledForward?: readonly Urn[]
  readonly skipped?: readonly Urn[]
  readonly failed?: readonly Urn[]
  readonly markedForDelete?: readonly number[]
  readonly pendingReplacement?: readonly number[]
  readonly condemned?: readonly number[]
  readonly refreshed?: readonly (readonly [index: number, now: TrackedState | undefined])[]
  readonly current?: readonly (readonly [urn: Urn, current: CurrentState])[]
  readonly views?: readonly ResourceState[]
  readonly awaitingOutputs?: readonly Step[]
  /** URNs whose delete before a replacement was decided: `pendingDeletes` gets a promise each. */
  readonly deleting?: readonly Urn[]
  /** URNs whose delete before a replacement has ended: their promises resolve. */
  readonly deleteEnded?: readonly Urn[]
  /** Removals; the reducer applies them before the additions. */
  readonly removed?: SetsRemoval
}

/** The members that a delta takes out of the sets. */
export interface SetsRemoval {
  readonly operated?: readonly Urn[]
  readonly deleted?: readonly Urn[]
  readonly replaced?: readonly Urn[]
  readonly targeted?: readonly Urn[]
  readonly skipped?: readonly Urn[]
  readonly dependentKeys?: readonly Urn[]
  readonly current?: readonly Urn[]
  readonly awaitingOutputs?: readonly Urn[]
  readonly markedForDelete?: readonly number[]
  readonly pendingReplacement?: readonly number[]
  readonly condemned?: readonly number[]
}
