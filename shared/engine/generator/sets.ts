import type { Urn } from '../../names/urn.ts'
import type { StepOp } from '../../records/operation.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { Step, TrackedState } from '../step.ts'
import type { Base } from '../deployment/state/base.ts'
import type { Goal } from './registration/goal.ts'

/** A resource as this deployment left it: where its state is, and by which step. */
export interface CurrentState extends TrackedState {
  readonly op: StepOp
  /**
   * It is not what this deployment is about: left as it was, or not made at all; or a refresh only
   * reads it.
   */
  readonly skipReason?: 'kept' | 'not made' | 'as read'
}

/**
 * What the generator knows of its own decisions: the fold of the decision log, and nothing else.
 * One writer: decisions are made one at a time between two awaits.
 */
export interface GeneratorSets {
  /** URNs registered or read by the program in this run. */
  readonly registered: Set<Urn>
  readonly goals: Map<Urn, Goal>
  /** Package → reference, for the children of a component. */
  readonly componentProviders: Map<Urn, ReadonlyMap<string, string>>
  /** Old URN → the URN that took it over. */
  readonly aliased: Map<Urn, Urn>
  /** URN → the old URN that it had. */
  readonly formerUrns: Map<Urn, Urn>
  /** What became of each URN: same, updated, replaced, read. Creates do not count. */
  readonly operated: Set<Urn>
  /** URNs deleted, or about to be, in this deployment. */
  readonly deletes: Set<Urn>
  /** Deletes before a replacement that were decided: each resolves when its chain has ended. */
  readonly pendingDeletes: Map<Urn, PromiseWithResolvers<void>>
  readonly replaces: Set<Urn>
  /** What was found to be a target, as such or by what it depends on. */
  readonly targeted: Set<Urn>
  /** The same of what is left out. */
  readonly excluded: Set<Urn>
  /** Old states that were taken along because something that stays depends on them. */
  readonly pulledForward: Set<Urn>
  /** What the program registered and nobody makes: no target, or new in a destroy. */
  readonly skipped: Set<Urn>
  /** What failed, of which the deployment went on, and what was skipped for that. */
  readonly failed: Set<Urn>
  /** Keys that made a dependent be replaced with its dependency. */
  readonly dependentKeys: Map<Urn, readonly string[]>
  /**
   * Base indices: marked for deletion by a replacement that took place, deleted before one, given a
   * delete step that has not failed.
   */
  readonly markedForDelete: Set<number>
  readonly pendingReplacement: Set<number>
  readonly condemned: Set<number>
  /** Base index → what was read of it when the program registered it; undefined: it is gone. */
  readonly refreshed: Map<number, TrackedState | undefined>
  readonly current: Map<Urn, CurrentState>
  /** Views as the providers of their owners told of them. */
  readonly views: Map<Urn, ResourceState>
  /** Creates and updates of components: their hooks run once they gave their outputs. */
  readonly awaitingOutputs: Map<Urn, Step>
}

/** Nothing decided yet. */
export function createSets(): GeneratorSets {
  return {
    registered: new Set(),
    goals: new Map(),
    componentProviders: new Map(),
    aliased: new Map(),
    formerUrns: new Map(),
    operated: new Set(),
    deletes: new Set(),
    pendingDeletes: new Map(),
    replaces: new Set(),
    targeted: new Set(),
    excluded: new Set(),
    pulledForward: new Set(),
    skipped: new Set(),
    failed: new Set(),
    dependentKeys: new Map(),
    markedForDelete: new Set(),
    pendingReplacement: new Set(),
    condemned: new Set(),
    refreshed: new Map(),
    current: new Map(),
    views: new Map(),
    awaitingOutputs: new Map(),
  }
}

/** An old state as it is by now: as it was read when the program registered it, or as it was. */
export function currentTrackedAt(
  { sets, base }: { readonly sets: GeneratorSets; readonly base: Pick<Base, 'trackedAt'> },
  index: number,
): TrackedState {
  return sets.refreshed.get(index) ?? base.trackedAt(index)
}

/** Whether an old state was read and is gone. */
export function isGone({ refreshed }: GeneratorSets, index: number): boolean {
  return refreshed.has(index) && refreshed.get(index) === undefined
}

/** Whether the program's wish for an old URN was met by some step (through aliases). */
export function isOperatedOn(sets: GeneratorSets, urn: Urn): boolean {
  return sets.operated.has(sets.aliased.get(urn) ?? urn)
}
