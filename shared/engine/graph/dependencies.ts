/**
 * graph: the dependencies in an ordered list of states, and the resulting plan of deletes. Pure;
 * imports records and below. Source: Pulumi's dependency graph (docs/spec/graph.md).
 *
 * Invariants: a list is topologically ordered. A state depends on earlier states only. States are
 * identified by their index, never by URN.
 */
import { providerUrnOf } from '../../names/provider-reference.ts'
import type { Urn } from '../../names/urn.ts'
import type { ResourceState } from '../../state/resource.ts'

/**
 * Returns the URNs in four fields of a state: `dependencies`, `propertyDependencies`, `deletedWith`
 * and `replaceWith`. The provider and the parent are not included.
 */
export function dependencyUrnsOf(state: ResourceState): ReadonlySet<Urn> {
  const dependencyUrns = new Set<Urn>(state.dependencies)
  for (const urns of state.propertyDependencies.values())
    for (const urn of urns) dependencyUrns.add(urn)
  if (state.deletedWith !== '') dependencyUrns.add(state.deletedWith)
  for (const urn of state.replaceWith) dependencyUrns.add(urn)
  return dependencyUrns
}

/**
 * Returns the URNs of the resources that a state requires: its provider, parent and dependencies.
 */
export function requiredUrnsOf(state: ResourceState): readonly Urn[] {
  const provider = providerUrnOf(state.provider)
  const requiredUrns = [...dependencyUrnsOf(state), ...(provider === undefined ? [] : [provider])]
  return state.parent === '' ? requiredUrns : [...requiredUrns, state.parent]
}

/** Lookups by URN in a topologically ordered list of states. */
export interface StateGraph {
  readonly states: readonly ResourceState[]
  /** Returns the indices of the states of a URN, ascending. */
  readonly indicesOf: (urn: Urn) => readonly number[]
  /** Returns the indices of all transitive children of a URN, ascending. */
  readonly descendantsOf: (urn: Urn) => readonly number[]
  /**
   * Returns the indices of the states that name a URN as a dependency or as their provider,
   * ascending.
   */
  readonly dependentsOf: (urn: Urn) => readonly number[]
}

/** Creates the lookups of a list. */
export function createStateGraph(states: readonly ResourceState[]): StateGraph {
  const indicesByUrn = new Map<Urn, number[]>()
  const directChildren = new Map<Urn, number[]>()
  const appendIndex = (map: Map<Urn, number[]>, urn: Urn, index: number): void => {
    const list = map.get(urn)
    if (list === undefined) map.set(urn, [index])
    else list.push(index)
  }
  states.forEach((state, index) => {
    appendIndex(indicesByUrn, state.urn, index)
    if (state.parent !== '') appendIndex(directChildren, state.parent, index)
  })
  const descendantsCache = new Map<Urn, readonly number[]>()
  const descendantsOf = (urn: Urn): readonly number[] => {
    const cached = descendantsCache.get(urn)
    if (cached !== undefined) return cached
    const descendants = new Set<number>()
    const pendingUrns: Urn[] = [urn]
    const visitedUrns = new Set<Urn>(pendingUrns)
    for (let parent = pendingUrns.pop(); parent !== undefined; parent = pendingUrns.pop())
      for (const index of directChildren.get(parent) ?? []) {
        descendants.add(index)
        const child = states[index]?.urn
        if (child !== undefined && !visitedUrns.has(child)) {
          visitedUrns.add(child)
          pendingUrns.push(child)
        }
      }
    const sortedDescendants = [...descendants].sort((a, b) => a - b)
    descendantsCache.set(urn, sortedDescendants)
    return sortedDescendants
  }
  let dependentsByUrn: ReadonlyMap<Urn, readonly number[]> | undefined
  return {
    states,
    indicesOf: urn => indicesByUrn.get(urn) ?? [],
    descendantsOf,
    dependentsOf: urn => (dependentsByUrn ??= indexDependents(states)).get(urn) ?? [],
  }
}

/**
 * Indexes the dependents of each URN. The index is built on first use, because many callers never
 * need the dependents.
 */
function indexDependents(states: readonly ResourceState[]): ReadonlyMap<Urn, readonly number[]> {
  const dependentsByUrn = new Map<Urn, number[]>()
  states.forEach((state, index) => {
    for (const urn of referencedUrnsOf(state)) {
      const list = dependentsByUrn.get(urn)
      if (list === undefined) dependentsByUrn.set(urn, [index])
      else list.push(index)
    }
  })
  return dependentsByUrn
}

/** Returns the URNs of a state's dependencies and of its provider. The parent is not included. */
function referencedUrnsOf(state: ResourceState): ReadonlySet<Urn> {
  const provider = providerUrnOf(state.provider)
  const dependencyUrns = dependencyUrnsOf(state)
  return provider === undefined ? dependencyUrns : new Set([...dependencyUrns, provider])
}

/**
 * Returns the indices of the states after `rootIndex` that depend on its state directly or
 * transitively, in list order. The parent of a state does not count as its dependency here. States
 * whose URN `isIgnored` accepts are skipped, and the search does not continue from them.
 */
export function findDependents(
  { states, dependentsOf }: Pick<StateGraph, 'states' | 'dependentsOf'>,
  rootIndex: number,
  isIgnored: (urn: Urn) => boolean,
): readonly number[] {
  const rootState = states[rootIndex]
  if (rootState === undefined) return []
  const candidates = new Set<number>()
  const pendingUrns = [rootState.urn]
  for (let urn = pendingUrns.pop(); urn !== undefined; urn = pendingUrns.pop())
    for (const index of dependentsOf(urn)) {
      const state = states[index]
      if (
        state === undefined ||
        index <= rootIndex ||
        candidates.has(index) ||
        isIgnored(state.urn)
      )
        continue
      candidates.add(index)
      pendingUrns.push(state.urn)
    }
  // A state comes after its dependencies. So a candidate depends on a reached state only if the
  // reached state precedes it. Otherwise the candidate names another copy with the same URN.
  const reachedUrns = new Set<Urn>([rootState.urn])
  return [...candidates]
    .toSorted((left, right) => left - right)
    .filter(index => {
      const state = states[index]
      if (state === undefined || ![...referencedUrnsOf(state)].some(urn => reachedUrns.has(urn)))
        return false
      reachedUrns.add(state.urn)
      return true
    })
}
