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
 * Returns the URNs that a state names as dependencies: listed, by property, deleted with, replaced
 * with.
 */
export function dependencyUrnsOf(state: ResourceState): ReadonlySet<Urn> {
  const named = new Set<Urn>(state.dependencies)
  for (const urns of state.propertyDependencies.values()) for (const urn of urns) named.add(urn)
  if (state.deletedWith !== '') named.add(state.deletedWith)
  for (const urn of state.replaceWith) named.add(urn)
  return named
}

/** Lookups over an ordered list, created once in linear time. */
export interface StateGraph {
  readonly states: readonly ResourceState[]
  /** Returns the indices of the states of a URN, ascending. */
  readonly indicesOf: (urn: Urn) => readonly number[]
  /** Returns the indices of all transitive children of a URN, ascending. */
  readonly childrenOf: (urn: Urn) => readonly number[]
  /**
   * Returns the indices of the states that name a URN as a dependency or as their provider,
   * ascending.
   */
  readonly dependentsOf: (urn: Urn) => readonly number[]
}

/** Creates the lookups of a list. */
export function createStateGraph(states: readonly ResourceState[]): StateGraph {
  const places = new Map<Urn, number[]>()
  const direct = new Map<Urn, number[]>()
  const push = (map: Map<Urn, number[]>, urn: Urn, index: number): void => {
    const list = map.get(urn)
    if (list === undefined) map.set(urn, [index])
    else list.push(index)
  }
  states.forEach((state, index) => {
    push(places, state.urn, index)
    if (state.parent !== '') push(direct, state.parent, index)
  })
  const known = new Map<Urn, readonly number[]>()
  const childrenOf = (urn: Urn): readonly number[] => {
    const cached = known.get(urn)
    if (cached !== undefined) return cached
    const found = new Set<number>()
    const open: Urn[] = [urn]
    const seen = new Set<Urn>(open)
    for (let next = open.pop(); next !== undefined; next = open.pop())
      for (const index of direct.get(next) ?? []) {
        found.add(index)
        const child = states[index]?.urn
        if (child !== undefined && !seen.has(child)) {
          seen.add(child)
          open.push(child)
        }
      }
    const sorted = [...found].sort((a, b) => a - b)
    known.set(urn, sorted)
    return sorted
  }
  let naming: ReadonlyMap<Urn, readonly number[]> | undefined
  return {
    states,
    indicesOf: urn => places.get(urn) ?? [],
    childrenOf,
    dependentsOf: urn => (naming ??= indexDependents(states)).get(urn) ?? [],
  }
}

/**
 * Indexes the dependents of each URN. The index is built on first use, because many lists never
 * need it.
 */
function indexDependents(states: readonly ResourceState[]): ReadonlyMap<Urn, readonly number[]> {
  const naming = new Map<Urn, number[]>()
  states.forEach((state, index) => {
    for (const urn of referencedUrnsOf(state)) {
      const list = naming.get(urn)
      if (list === undefined) naming.set(urn, [index])
      else list.push(index)
    }
  })
  return naming
}

/** Returns the URNs that a state names, including its provider's. */
function referencedUrnsOf(state: ResourceState): ReadonlySet<Urn> {
  const provider = providerUrnOf(state.provider)
  const named = dependencyUrnsOf(state)
  return provider === undefined ? named : new Set([...named, provider])
}

/**
 * Returns the indices of the states after `root` that depend on it, transitively, through anything
 * but parents. They are in list order. URNs in `ignore` are skipped and not followed. Linear in the
 * result.
 */
export function findDependents(
  { states, dependentsOf }: Pick<StateGraph, 'states' | 'dependentsOf'>,
  root: number,
  ignore: (urn: Urn) => boolean,
): readonly number[] {
  const start = states[root]
  if (start === undefined) return []
  const candidates = new Set<number>()
  const open = [start.urn]
  for (let urn = open.pop(); urn !== undefined; urn = open.pop())
    for (const index of dependentsOf(urn)) {
      const state = states[index]
      if (state === undefined || index <= root || candidates.has(index) || ignore(state.urn))
        continue
      candidates.add(index)
      open.push(state.urn)
    }
  // A state before one of several copies of a resource does not depend on that copy.
  const reached = new Set<Urn>([start.urn])
  return [...candidates]
    .toSorted((left, right) => left - right)
    .filter(index => {
      const state = states[index]
      if (state === undefined || ![...referencedUrnsOf(state)].some(urn => reached.has(urn)))
        return false
      reached.add(state.urn)
      return true
    })
}
