import { providerUrnOf } from '../../names/provider-reference.ts'
import type { Urn } from '../../names/urn.ts'
import type { ResourceState } from '../../state/resource.ts'
import { dependencyUrnsOf, type StateGraph } from './dependencies.ts'

/** A dependency of a state besides its provider. `key`: the property that has it. */
export interface Dependency {
  readonly kind: 'parent' | 'dependency' | 'property' | 'deleted with' | 'replace with'
  readonly urn: Urn
  readonly key?: string
}

/** Returns all dependencies that a state names, its parent first, in Pulumi's order. */
export function listDependencies(
  state: Pick<
    ResourceState,
    'parent' | 'dependencies' | 'propertyDependencies' | 'deletedWith' | 'replaceWith'
  >,
): readonly Dependency[] {
  const { parent, dependencies, propertyDependencies, deletedWith, replaceWith } = state
  return [
    ...(parent === '' ? [] : [{ kind: 'parent' as const, urn: parent }]),
    ...dependencies.map(urn => ({ kind: 'dependency' as const, urn })),
    ...[...propertyDependencies].flatMap(([key, urns]) =>
      urns.map(urn => ({ kind: 'property' as const, urn, key })),
    ),
    ...(deletedWith === '' ? [] : [{ kind: 'deleted with' as const, urn: deletedWith }]),
    ...replaceWith.map(urn => ({ kind: 'replace with' as const, urn })),
  ]
}

/** Reports whether a state names one of some URNs, or its provider is one of them. */
export function isDependentOn(state: ResourceState, has: (urn: Urn) => boolean): boolean {
  const provider = providerUrnOf(state.provider)
  if (provider !== undefined && has(provider)) return true
  return listDependencies(state).some(({ urn }) => has(urn))
}

/**
 * Returns the URNs of some states and of all their dependents, children included. Linear. Source:
 * docs/spec/step-generation.md#targets, docs/spec/graph.md.
 */
export function collectDependents(
  { states }: StateGraph,
  isRoot: (state: ResourceState) => boolean,
): ReadonlySet<Urn> {
  const reached = new Set<Urn>()
  for (const state of states)
    if (isRoot(state) || isDependentOn(state, urn => reached.has(urn))) reached.add(state.urn)
  return reached
}

/**
 * Returns the URNs of some states and of all their dependencies: provider, parent, named
 * dependencies, and the children of components. With `dependents`, the dependents of all these are
 * included. Source: docs/spec/step-generation.md#targets, docs/spec/graph.md (`dependenciesOf`).
 */
export function collectDependencies(
  graph: StateGraph,
  isRoot: (state: ResourceState) => boolean,
  { dependents }: { readonly dependents: boolean },
): ReadonlySet<Urn> {
  const found = new Set<number>()
  const open: number[] = []
  const add = (index: number): void => {
    if (found.has(index)) return
    found.add(index)
    open.push(index)
  }
  const above = createDependencyLookup(graph)
  const below = dependents ? createDependentLookup(graph) : undefined
  graph.states.forEach((state, index) => {
    if (isRoot(state)) add(index)
  })
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    for (const at of above(index)) add(at)
    for (const at of below?.(index) ?? []) add(at)
  }
  return new Set([...found].flatMap(index => graph.states[index]?.urn ?? []))
}

/** Creates a lookup of direct dependencies. The children of a component are returned once. */
function createDependencyLookup(graph: StateGraph): (index: number) => readonly number[] {
  const listedUpTo = new Map<Urn, number>()
  return index => {
    const state = graph.states[index]
    if (state === undefined) return []
    const named = new Set<Urn>(dependencyUrnsOf(state))
    const provider = providerUrnOf(state.provider)
    if (provider !== undefined) named.add(provider)
    const found: number[] = []
    for (const urn of named)
      for (const at of graph.indicesOf(urn)) {
        if (at >= index) break
        found.push(at)
        const from = listedUpTo.get(urn) ?? 0
        if (graph.states[at]?.custom !== false || from >= index) continue
        listedUpTo.set(urn, index)
        for (const child of graph.childrenOf(urn)) if (child < index) found.push(child)
      }
    if (state.parent !== '') found.push(...graph.indicesOf(state.parent).filter(at => at < index))
    return found
  }
}

/** Creates a lookup of direct dependents, children included. */
function createDependentLookup({ states }: StateGraph): (index: number) => readonly number[] {
  const leaning = new Map<Urn, number[]>()
  states.forEach((state, index) => {
    const urns = new Set(listDependencies(state).map(({ urn }) => urn))
    const provider = providerUrnOf(state.provider)
    if (provider !== undefined) urns.add(provider)
    for (const urn of urns) {
      const list = leaning.get(urn)
      if (list === undefined) leaning.set(urn, [index])
      else list.push(index)
    }
  })
  return index => {
    const urn = states[index]?.urn
    return urn === undefined ? [] : (leaning.get(urn) ?? []).filter(at => at > index)
  }
}

/**
 * Returns the URNs of protected states and of all their dependencies, including providers and
 * parents. Old copies depend on old copies where these exist. Source: docs/spec/graph.md
 * (`transitiveDependenciesOf`).
 */
export function collectProtected({ states, indicesOf }: StateGraph): ReadonlySet<Urn> {
  const found = new Set<number>()
  const open: number[] = []
  const add = (index: number | undefined): void => {
    if (index === undefined || found.has(index)) return
    found.add(index)
    open.push(index)
  }
  const findState = (from: ResourceState, urn: Urn): number | undefined => {
    const places = indicesOf(urn)
    return places.findLast(place => states[place]?.delete === from.delete) ?? places.at(-1)
  }
  states.forEach((state, index) => {
    if (state.protect) add(index)
  })
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const state = states[index]
    if (state === undefined) continue
    const provider = providerUrnOf(state.provider)
    if (provider !== undefined) add(findState(state, provider))
    for (const { urn } of listDependencies(state)) add(findState(state, urn))
  }
  return new Set([...found].flatMap(index => states[index]?.urn ?? []))
}
