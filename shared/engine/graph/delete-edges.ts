import { dependencyUrnsOf, type StateGraph } from './dependencies.ts'
import { providerUrnOf } from '../../names/provider-reference.ts'

/**
 * The order constraints of deletes. A group represents the children of a component below an index.
 * Many resources may depend on a big component, and groups keep the number of edges linear.
 */
export interface DeleteEdges {
  /** By state index: the condemned states and groups that its delete releases. */
  readonly releases: ReadonlyMap<
    number,
    { readonly states: readonly number[]; readonly groups: readonly string[] }
  >
  /** By group: the states that the group releases once all states before it are deleted. */
  readonly groups: ReadonlyMap<string, readonly number[]>
}

type Releases = Map<number, { readonly states: number[]; readonly groups: readonly string[] }>

/**
 * Returns the edges among condemned states (indices into the graph). Deleting a state releases its
 * dependencies: provider, parent, named dependencies, and the children of components. A replaced
 * state comes after the states that name its URN. It waits for them as far as Pulumi's waves do,
 * except for protected ones, which block only their own dependencies. Source:
 * docs/spec/step-generation.md#deletes-at-the-end-of-the-program, docs/spec/graph.md,
 * `dependenciesOf`.
 */
export function findDeleteEdges(graph: StateGraph, condemned: ReadonlySet<number>): DeleteEdges {
  const releases: Releases = new Map()
  const groups = new Map<string, readonly number[]>()
  const later: [number, number][] = []
  for (const index of [...condemned].sort((a, b) => a - b)) {
    const state = graph.states[index]
    if (state === undefined) continue
    const targets = new Set<number>()
    const joined = new Set<string>()
    const note = (at: number): void => {
      if (!condemned.has(at)) return
      if (at < index) targets.add(at)
      else if (at > index && !state.protect) later.push([index, at])
    }
    const provider = providerUrnOf(state.provider)
    const named = new Set(dependencyUrnsOf(state))
    if (provider !== undefined) named.add(provider)
    for (const urn of named)
      for (const at of graph.indicesOf(urn)) {
        note(at)
        if (at >= index || graph.states[at]?.custom !== false) continue
        const below = graph.childrenOf(urn).filter(child => child < index && condemned.has(child))
        if (below.length === 0) continue
        if (below.length === 1) targets.add(below[0] ?? at)
        else {
          const key = `${urn}#${below.length}`
          groups.set(key, below)
          joined.add(key)
        }
      }
    if (state.parent !== '') for (const at of graph.indicesOf(state.parent)) note(at)
    releases.set(index, { states: [...targets], groups: [...joined] })
  }
  if (later.length > 0) addWaits(releases, groups, later)
  return { releases, groups }
}

/**
 * Makes replaced states wait for earlier states that name their URN, if these are higher. The order
 * of heights prevents cycles.
 */
function addWaits(
  releases: Releases,
  groups: ReadonlyMap<string, readonly number[]>,
  later: readonly (readonly [number, number])[],
): void {
  const heights = computeHeights(releases, groups)
  for (const [index, at] of later) {
    const { states = [] } = releases.get(index) ?? {}
    if ((heights.get(index) ?? 0) > (heights.get(at) ?? 0) && !states.includes(at)) states.push(at)
  }
}

/**
 * Returns the length of the longest dependency path below each state: 0 for a state without
 * condemned dependencies. Only earlier states are below others, and `releases` is in their order.
 * Linear in the edges.
 */
function computeHeights(
  releases: Releases,
  groups: ReadonlyMap<string, readonly number[]>,
): ReadonlyMap<number, number> {
  const heights = new Map<number, number>()
  const ofGroups = new Map<string, number>()
  const above = (indices: readonly number[]): number =>
    indices.reduce((height, at) => Math.max(height, (heights.get(at) ?? 0) + 1), 0)
  for (const [index, { states, groups: joined }] of releases) {
    for (const key of joined)
      if (!ofGroups.has(key)) ofGroups.set(key, above(groups.get(key) ?? []))
    const highest = joined.reduce((height, key) => Math.max(height, ofGroups.get(key) ?? 0), 0)
    heights.set(index, Math.max(above(states), highest))
  }
  return heights
}
