import { dependencyUrnsOf, type StateGraph } from './dependencies.ts'
import { isProviderType, providerUrnOf } from '../../names/provider-reference.ts'
import { stackType, type Urn } from '../../names/urn.ts'

/** The condemned states (by index) and the groups that a delete or a group releases. */
interface Releases {
  readonly states: readonly number[]
  readonly groups: readonly string[]
}

/**
 * The order constraints of deletes. A group represents those descendants of a component that
 * precede one dependent of the component in the list. A group releases the next smaller group of
 * the component, and the descendants that the smaller group does not represent. Many resources may
 * depend on a big component, and groups keep the number of edges linear.
 */
export interface DeleteEdges {
  /** By state index: the releases of the delete of a state. */
  readonly releases: ReadonlyMap<number, Releases>
  /**
   * By group: the releases of the group. They take place after the deletes of all states that
   * release the group, and after the releases of all groups that release it.
   */
  readonly groups: ReadonlyMap<string, Releases>
}

/** The releases of `DeleteEdges` while the edges are collected. */
type CollectedReleases = Map<
  number,
  { readonly states: number[]; readonly groups: readonly string[] }
>

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
): DeleteEdges & { readonly releases: CollectedReleases } {
  const releases: CollectedReleases = new Map()
  const groups = new Map<string, Releases>()
  const releaseDescendants = createDescendantGroups(graph, condemned, groups)
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
        const descendants = releaseDescendants(urn, index)
        for (const child of descendants.states) releasedIndices.add(child)
        for (const key of descendants.groups) groupKeys.add(key)
      }
    if (state.parent !== '')
      for (const copyIndex of graph.indicesOf(state.parent)) addEdge(copyIndex)
    releases.set(index, { states: [...releasedIndices], groups: [...groupKeys] })
  }
  if (laterCopies.length > 0) addWaitEdges(releases, groups, laterCopies)
  return { releases, groups }
}

/**
 * Creates a function that returns the release of some condemned descendants of a component: those
 * that precede an index. Adds groups of several descendants to `groups`. The indices of the calls
 * must ascend.
 */
function createDescendantGroups(
  { descendantsOf }: Pick<StateGraph, 'descendantsOf'>,
  condemned: ReadonlySet<number>,
  groups: Map<string, Releases>,
): (urn: Urn, index: number) => Releases {
  /** `count`: the number of descendants that precede the last index. `group`: the largest group. */
  const components = new Map<
    Urn,
    { readonly descendants: readonly number[]; count: number; group: string | undefined }
  >()
  return (urn, index) => {
    const component = components.get(urn) ?? {
      descendants: descendantsOf(urn).filter(child => condemned.has(child)),
      count: 0,
      group: undefined,
    }
    components.set(urn, component)
    const { descendants, count: earlierCount, group: smallerGroup } = component
    while ((descendants[component.count] ?? Infinity) < index) component.count += 1
    const { count } = component
    if (count < 2) return { states: descendants.slice(0, count), groups: [] }
    const key = `${urn}#${count}`
    component.group = key
    if (!groups.has(key))
      groups.set(
        key,
        smallerGroup === undefined
          ? { states: descendants.slice(0, count), groups: [] }
          : { states: descendants.slice(earlierCount, count), groups: [smallerGroup] },
      )
    return { states: [], groups: [key] }
  }
}

/**
 * Adds an edge to the root stack from each condemned state that releases nothing but its provider.
 * The stack resource and its outputs are thus deleted last, even if resources lack a parent. The
 * stack releases nothing, so no cycle arises. Pulumi deletes the stack and such states in the same
 * wave, its last one.
 */
function addRootEdges({ states }: StateGraph, releases: CollectedReleases): void {
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
  releases: CollectedReleases,
  groups: DeleteEdges['groups'],
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
  releases: CollectedReleases,
  groups: DeleteEdges['groups'],
): ReadonlyMap<number, number> {
  const heights = new Map<number, number>()
  const groupHeights = new Map<string, number>()
  const measureHeightAbove = ({ states, groups: groupKeys }: Releases): number =>
    Math.max(
      states.reduce((height, index) => Math.max(height, (heights.get(index) ?? 0) + 1), 0),
      groupKeys.reduce((height, key) => Math.max(height, groupHeights.get(key) ?? 0), 0),
    )
  for (const [index, released] of releases) {
    // The smaller groups of a component come from earlier states, so their heights are known.
    for (const key of released.groups) {
      const group = groups.get(key)
      if (group !== undefined && !groupHeights.has(key))
        groupHeights.set(key, measureHeightAbove(group))
    }
    heights.set(index, measureHeightAbove(released))
  }
  return heights
}
