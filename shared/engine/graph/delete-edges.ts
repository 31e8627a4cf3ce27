import { dependencyUrnsOf, type StateGraph } from './dependencies.ts'
import { isProviderType, providerUrnOf } from '../../names/provider-reference.ts'
import { stackType } from '../../names/urn.ts'

/**
 * The order constraints of deletes. A group represents those descendants of a component that
 * precede one dependent of the component in the list. Many resources may depend on a big component,
 * and groups keep the number of edges linear.
 */
export interface DeleteEdges {
  /** By state index: the condemned states and groups that the delete of a state releases. */
  readonly releases: ReadonlyMap<
    number,
    { readonly states: readonly number[]; readonly groups: readonly string[] }
  >
  /**
   * By group: the states that the group releases. It releases them after the deletes of all states
   * that release the group.
   */
  readonly groups: ReadonlyMap<string, readonly number[]>
}

/** The releases of `DeleteEdges` while the edges are collected. */
type Releases = Map<number, { readonly states: number[]; readonly groups: readonly string[] }>

/**
 * Returns the edges among condemned states (indices into the graph). These are the edges of
 * `findDependencyEdges`, and edges that delay the delete of the root stack (`addRootEdges`).
 */
export function findDeleteEdges(graph: StateGraph, condemned: ReadonlySet<number>): DeleteEdges {
  const edges = findDependencyEdges(graph, condemned)
  addRootEdges(graph, edges.releases)
  return edges
}

/**
 * Returns the edges of dependencies among condemned states. Deleting a state releases its
 * dependencies: provider, parent, named dependencies, and the descendants of named components. A
 * replaced state comes later in the list than the states that name its URN. If Pulumi deletes one
 * of these states in an earlier wave, the delete of the replaced state waits for that delete
 * (`addWaitEdges`). A protected state delays only the deletes of states before it in the list.
 * Source: docs/spec/step-generation.md#deletes-at-the-end-of-the-program, docs/spec/graph.md,
 * `dependenciesOf`.
 */
export function findDependencyEdges(
  graph: StateGraph,
  condemned: ReadonlySet<number>,
): DeleteEdges & { readonly releases: Releases } {
  const releases: Releases = new Map()
  const groups = new Map<string, readonly number[]>()
  /** Pairs of indices: a state, and a later state whose URN the first one names. */
  const laterCopies: [number, number][] = []
  for (const index of [...condemned].sort((a, b) => a - b)) {
    const state = graph.states[index]
    if (state === undefined) continue
    const releasedIndices = new Set<number>()
    const groupKeys = new Set<string>()
    const addEdge = (otherIndex: number): void => {
      if (!condemned.has(otherIndex)) return
      if (otherIndex < index) releasedIndices.add(otherIndex)
      else if (otherIndex > index && !state.protect) laterCopies.push([index, otherIndex])
    }
    const provider = providerUrnOf(state.provider)
    const dependencyUrns = new Set(dependencyUrnsOf(state))
    if (provider !== undefined) dependencyUrns.add(provider)
    for (const urn of dependencyUrns)
      for (const copyIndex of graph.indicesOf(urn)) {
        addEdge(copyIndex)
        if (copyIndex >= index || graph.states[copyIndex]?.custom !== false) continue
        const descendants = graph
          .descendantsOf(urn)
          .filter(child => child < index && condemned.has(child))
        if (descendants.length === 0) continue
        if (descendants.length === 1) releasedIndices.add(descendants[0] ?? copyIndex)
        else {
          const key = `${urn}#${descendants.length}`
          groups.set(key, descendants)
          groupKeys.add(key)
        }
      }
    if (state.parent !== '')
      for (const copyIndex of graph.indicesOf(state.parent)) addEdge(copyIndex)
    releases.set(index, { states: [...releasedIndices], groups: [...groupKeys] })
  }
  if (laterCopies.length > 0) addWaitEdges(releases, groups, laterCopies)
  return { releases, groups }
}

/**
 * Adds an edge to the root stack from each condemned state that releases nothing but its provider.
 * The stack resource and its outputs are thus deleted last, even if resources lack a parent. The
 * stack releases nothing, so no cycle arises. Pulumi deletes the stack and such states in the same
 * wave, its last one.
 */
function addRootEdges({ states }: StateGraph, releases: Releases): void {
  const rootIndex = [...releases.keys()].find(index => {
    const state = states[index]
    return state !== undefined && state.type === stackType && state.parent === '' && !state.delete
  })
  if (rootIndex === undefined) return
  const isProvider = (index: number): boolean => isProviderType(states[index]?.type ?? '')
  for (const [index, { states: releasedStates, groups }] of releases) {
    if (index === rootIndex || isProvider(index) || groups.length > 0) continue
    if (releasedStates.every(isProvider)) releasedStates.push(rootIndex)
  }
}

/**
 * Adds an edge to a replaced state from each earlier state that names its URN, if the earlier state
 * has the greater height. No such edge leads to an equal or greater height, so no cycle arises.
 */
function addWaitEdges(
  releases: Releases,
  groups: ReadonlyMap<string, readonly number[]>,
  laterCopies: readonly (readonly [number, number])[],
): void {
  const heights = computeHeights(releases, groups)
  for (const [index, copyIndex] of laterCopies) {
    const { states = [] } = releases.get(index) ?? {}
    if ((heights.get(index) ?? 0) > (heights.get(copyIndex) ?? 0) && !states.includes(copyIndex))
      states.push(copyIndex)
  }
}

/**
 * Returns the length of the longest dependency path below each state: 0 for a state without
 * condemned dependencies. `releases` has the order of the list, so the heights of dependencies are
 * computed first. Linear in the edges.
 */
function computeHeights(
  releases: Releases,
  groups: ReadonlyMap<string, readonly number[]>,
): ReadonlyMap<number, number> {
  const heights = new Map<number, number>()
  const groupHeights = new Map<string, number>()
  const measureHeightAbove = (indices: readonly number[]): number =>
    indices.reduce((height, index) => Math.max(height, (heights.get(index) ?? 0) + 1), 0)
  for (const [index, { states, groups: groupKeys }] of releases) {
    for (const key of groupKeys)
      if (!groupHeights.has(key)) groupHeights.set(key, measureHeightAbove(groups.get(key) ?? []))
    const highest = groupKeys.reduce(
      (height, key) => Math.max(height, groupHeights.get(key) ?? 0),
      0,
    )
    heights.set(index, Math.max(measureHeightAbove(states), highest))
  }
  return heights
}
