import { namedDependencies, type StateGraph } from './dependencies.ts'
import { providerUrnOf } from '../../names/provider-reference.ts'

/**
 * What must wait for what when states are deleted: `waits` of a state are those that must be gone
 * first. A group stands for the children of a component below an index: many resources may depend
 * on one big component, and a group keeps that linear instead of a product.
 */
export interface DeleteEdges {
  /** By state index: indices of condemned states, and groups, that are released by its delete. */
  readonly releases: ReadonlyMap<
    number,
    { readonly states: readonly number[]; readonly groups: readonly string[] }
  >
  /** By group: the states that the group releases once all that wait on it are gone. */
  readonly groups: ReadonlyMap<string, readonly number[]>
}

/**
 * The edges among condemned states (indices into the graph): deleting `x` releases everything that
 * `x` depended on (provider, parent, named dependencies; a component stands for its children too).
 * Source: `engine.md` 5.10 and 18, `dependenciesOf`.
 */
export function deleteEdges(graph: StateGraph, condemned: ReadonlySet<number>): DeleteEdges {
  const releases = new Map<number, { states: readonly number[]; groups: readonly string[] }>()
  const groups = new Map<string, readonly number[]>()
  for (const index of condemned) {
    const state = graph.states[index]
    if (state === undefined) continue
    const targets = new Set<number>()
    const joined = new Set<string>()
    const provider = providerUrnOf(state.provider)
    const named = new Set(namedDependencies(state))
    if (provider !== undefined) named.add(provider)
    for (const urn of named)
      for (const at of graph.at(urn)) {
        if (at >= index) break
        if (condemned.has(at)) targets.add(at)
        if (graph.states[at]?.custom !== false) continue
        const below = graph.childrenOf(urn).filter(child => child < index && condemned.has(child))
        if (below.length === 0) continue
        if (below.length === 1) targets.add(below[0] ?? at)
        else {
          const key = `${urn}#${below.length}`
          groups.set(key, below)
          joined.add(key)
        }
      }
    if (state.parent !== '')
      for (const at of graph.at(state.parent)) if (at < index && condemned.has(at)) targets.add(at)
    releases.set(index, { states: [...targets], groups: [...joined] })
  }
  return { releases, groups }
}
