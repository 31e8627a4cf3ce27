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

/** The generator's sets as the reducer changes them; all other code reads `GeneratorSets`. */
export interface WritableSets extends Writable<Omit<GeneratorSets, 'pendingDeletes'>> {
  readonly pendingDeletes: Map<Urn, PromiseWithResolvers<void>>
}

/** Creates the sets of a run without decisions. */
export function createSets(): WritableSets {
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

/**
 * Applies a delta: removals first, then additions. The only code that changes the sets.
 * Synchronous, so that two decisions never see one state of the sets between two awaits.
 */
export function reduceSets(sets: WritableSets, delta: SetsDelta): void {
  if (delta.removed !== undefined) removeMembers(sets, delta.removed)
  addAll(sets.registered, delta.registered)
  setAll(sets.goals, delta.goals)
  setAll(sets.componentProviders, delta.componentProviders)
  setAll(sets.aliased, delta.aliased)
  for (const [old, current] of delta.aliased ?? []) sets.formerUrns.set(current, old)
  addAll(sets.operated, delta.operated)
  addAll(sets.deletes, delta.deleted)
  addAll(sets.replaces, delta.replaced)
  addAll(sets.targeted, delta.targeted)
  addAll(sets.excluded, delta.excluded)
  addAll(sets.pulledForward, delta.pulledForward)
  addAll(sets.skipped, delta.skipped)
  addAll(sets.failed, delta.failed)
  setAll(sets.dependentKeys, delta.dependentKeys)
  addAll(sets.markedForDelete, delta.markedForDelete)
  addAll(sets.pendingReplacement, delta.pendingReplacement)
  addAll(sets.condemned, delta.condemned)
  setAll(sets.refreshed, delta.refreshed)
  setAll(sets.current, delta.current)
  for (const state of delta.views ?? []) sets.views.set(state.urn, state)
  for (const step of delta.awaitingOutputs ?? []) sets.awaitingOutputs.set(step.urn, step)
  for (const urn of delta.deleting ?? [])
    sets.pendingDeletes.set(urn, Promise.withResolvers<void>())
  for (const urn of delta.deleteEnded ?? []) sets.pendingDeletes.get(urn)?.resolve()
}

function removeMembers(sets: WritableSets, removed: SetsRemoval): void {
  deleteAll(sets.operated, removed.operated)
  deleteAll(sets.deletes, removed.deleted)
  deleteAll(sets.replaces, removed.replaced)
  deleteAll(sets.targeted, removed.targeted)
  deleteAll(sets.skipped, removed.skipped)
  deleteAll(sets.dependentKeys, removed.dependentKeys)
  deleteAll(sets.current, removed.current)
  deleteAll(sets.awaitingOutputs, removed.awaitingOutputs)
  deleteAll(sets.markedForDelete, removed.markedForDelete)
  deleteAll(sets.pendingReplacement, removed.pendingReplacement)
  deleteAll(sets.condemned, removed.condemned)
}

function addAll<T>(set: Set<T>, members: readonly T[] = []): void {
  for (const member of members) set.add(member)
}

function setAll<K, V>(map: Map<K, V>, entries: readonly (readonly [K, V])[] = []): void {
  for (const [key, value] of entries) map.set(key, value)
}

function deleteAll<K>(members: { delete(member: K): boolean }, removed: readonly K[] = []): void {
  for (const member of removed) members.delete(member)
}
