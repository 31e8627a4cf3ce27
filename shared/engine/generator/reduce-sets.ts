import type { Urn } from '../../names/urn.ts'
import type { GeneratorSets } from './sets.ts'
import type { SetsDelta, SetsRemoval } from './sets-delta.ts'

type Writable<Sets> = {
  readonly [Name in keyof Sets]: Sets[Name] extends ReadonlyMap<infer Key, infer Value>
    ? Map<Key, Value>
    : Sets[Name] extends ReadonlySet<infer Member>
      ? Set<Member>
      : never
}

/** The writable form of the sets, only for the reducer. All other code reads `GeneratorSets`. */
export interface WritableSets extends Writable<Omit<GeneratorSets, 'pendingDeletes'>> {
  readonly pendingDeletes: Map<Urn, PromiseWithResolvers<void>>
}

/** Creates empty sets, for a run that has not made any decision yet. */
export function createSets(): WritableSets {
  return {
    registeredUrns: new Set(),
    goals: new Map(),
    componentProviders: new Map(),
    aliasingUrns: new Map(),
    formerUrns: new Map(),
    handledUrns: new Set(),
    deletedUrns: new Set(),
    pendingDeletes: new Map(),
    replacedUrns: new Set(),
    targetedUrns: new Set(),
    excludedUrns: new Set(),
    keptOldUrns: new Set(),
    uncreatedUrns: new Set(),
    failedUrns: new Set(),
    dependentKeys: new Map(),
    markedForDeleteIndices: new Set(),
    pendingReplacementIndices: new Set(),
    condemnedIndices: new Set(),
    refreshedStates: new Map(),
    currentStates: new Map(),
    views: new Map(),
    stepsAwaitingOutputs: new Map(),
  }
}

/**
 * Applies a delta: removals first, then additions. No other code changes the sets. Synchronous, so
 * that no decision sees a partly applied delta.
 */
export function reduceSets(sets: WritableSets, delta: SetsDelta): void {
  if (delta.removed !== undefined) removeMembers(sets, delta.removed)
  addAll(sets.registeredUrns, delta.registeredUrns)
  setAll(sets.goals, delta.goals)
  setAll(sets.componentProviders, delta.componentProviders)
  setAll(sets.aliasingUrns, delta.aliased)
  for (const [old, current] of delta.aliased ?? []) sets.formerUrns.set(current, old)
  addAll(sets.handledUrns, delta.handledUrns)
  addAll(sets.deletedUrns, delta.deleted)
  addAll(sets.replacedUrns, delta.replaced)
  addAll(sets.targetedUrns, delta.targeted)
  addAll(sets.excludedUrns, delta.excludedUrns)
  addAll(sets.keptOldUrns, delta.keptOldUrns)
  addAll(sets.uncreatedUrns, delta.uncreatedUrns)
  addAll(sets.failedUrns, delta.failedUrns)
  setAll(sets.dependentKeys, delta.dependentKeys)
  addAll(sets.markedForDeleteIndices, delta.markedForDeleteIndices)
  addAll(sets.pendingReplacementIndices, delta.pendingReplacementIndices)
  addAll(sets.condemnedIndices, delta.condemnedIndices)
  setAll(sets.refreshedStates, delta.refreshed)
  setAll(sets.currentStates, delta.currentStates)
  for (const state of delta.views ?? []) sets.views.set(state.urn, state)
  for (const step of delta.stepsAwaitingOutputs ?? []) sets.stepsAwaitingOutputs.set(step.urn, step)
  for (const urn of delta.startedDeletes ?? [])
    sets.pendingDeletes.set(urn, Promise.withResolvers<void>())
  for (const urn of delta.endedDeletes ?? []) sets.pendingDeletes.get(urn)?.resolve()
}

function removeMembers(sets: WritableSets, removed: SetsRemoval): void {
  removeAll(sets.handledUrns, removed.handledUrns)
  removeAll(sets.deletedUrns, removed.deleted)
  removeAll(sets.replacedUrns, removed.replaced)
  removeAll(sets.targetedUrns, removed.targeted)
  removeAll(sets.uncreatedUrns, removed.uncreatedUrns)
  removeAll(sets.dependentKeys, removed.dependentKeys)
  removeAll(sets.currentStates, removed.currentStates)
  removeAll(sets.stepsAwaitingOutputs, removed.stepsAwaitingOutputs)
  removeAll(sets.markedForDeleteIndices, removed.markedForDeleteIndices)
  removeAll(sets.pendingReplacementIndices, removed.pendingReplacementIndices)
  removeAll(sets.condemnedIndices, removed.condemnedIndices)
}

function addAll<T>(set: Set<T>, members: readonly T[] = []): void {
  for (const member of members) set.add(member)
}

function setAll<K, V>(map: Map<K, V>, entries: readonly (readonly [K, V])[] = []): void {
  for (const [key, value] of entries) map.set(key, value)
}

function removeAll<K>(members: { delete(member: K): boolean }, removed: readonly K[] = []): void {
  for (const member of removed) members.delete(member)
}
