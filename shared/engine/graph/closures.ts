import { providerUrnOf } from '../../names/provider-reference.ts'
import type { Urn } from '../../names/urn.ts'
import type { ResourceState } from '../../state/resource.ts'
import { dependencyUrnsOf, type StateGraph } from './dependencies.ts'

/** A dependency of a state besides its provider. `key`: the property, for the kind `property`. */
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

/** Reports whether `isIncluded` accepts a state's provider, its parent or a named dependency. */
export function isDependentOn(state: ResourceState, isIncluded: (urn: Urn) => boolean): boolean {
  const provider = providerUrnOf(state.provider)
  if (provider !== undefined && isIncluded(provider)) return true
  return listDependencies(state).some(({ urn }) => isIncluded(urn))
}

/**
 * Returns the URNs of the states that `isRoot` accepts, and of all their dependents, children
 * included. Linear. Source: docs/spec/step-generation.md#targets, docs/spec/graph.md.
 */
export function collectDependents(
  { states }: StateGraph,
  isRoot: (state: ResourceState) => boolean,
): ReadonlySet<Urn> {
  const reachedUrns = new Set<Urn>()
  for (const state of states)
    if (isRoot(state) || isDependentOn(state, urn => reachedUrns.has(urn)))
      reachedUrns.add(state.urn)
  return reachedUrns
}

/**
 * Returns the URNs of the states that `isRoot` accepts, and of all their dependencies: provider,
 * parent, named dependencies, and descendants of named components. With `mustIncludeDependents`,
 * the dependents of every returned state are returned too. Source:
 * docs/spec/step-generation.md#targets, docs/spec/graph.md (`dependenciesOf`).
 */
export function collectDependencies(
  graph: StateGraph,
  isRoot: (state: ResourceState) => boolean,
  { mustIncludeDependents }: { readonly mustIncludeDependents: boolean },
): ReadonlySet<Urn> {
  const reachedIndices = new Set<number>()
  const pendingIndices: number[] = []
  const add = (index: number): void => {
    if (reachedIndices.has(index)) return
    reachedIndices.add(index)
    pendingIndices.push(index)
  }
  const lookUpDependencies = createDependencyLookup(graph)
  const lookUpDependents = mustIncludeDependents ? createDependentLookup(graph) : undefined
  graph.states.forEach((state, index) => {
    if (isRoot(state)) add(index)
  })
  for (let index = pendingIndices.pop(); index !== undefined; index = pendingIndices.pop()) {
    for (const otherIndex of lookUpDependencies(index)) add(otherIndex)
    for (const otherIndex of lookUpDependents?.(index) ?? []) add(otherIndex)
  }
  return new Set([...reachedIndices].flatMap(index => graph.states[index]?.urn ?? []))
}

/**
 * Creates a lookup of direct dependencies. A dependent of a component also depends on the earlier
 * descendants of the component. To save time, a lookup omits these descendants if the lookup of a
 * later dependent has already returned them.
 */
function createDependencyLookup(graph: StateGraph): (index: number) => readonly number[] {
  const descendantsListedUpTo = new Map<Urn, number>()
  return index => {
    const state = graph.states[index]
    if (state === undefined) return []
    const dependencyUrns = new Set<Urn>(dependencyUrnsOf(state))
    const provider = providerUrnOf(state.provider)
    if (provider !== undefined) dependencyUrns.add(provider)
    const dependencyIndices: number[] = []
    for (const urn of dependencyUrns)
      for (const otherIndex of graph.indicesOf(urn)) {
        if (otherIndex >= index) break
        dependencyIndices.push(otherIndex)
        const previousEnd = descendantsListedUpTo.get(urn) ?? 0
        if (graph.states[otherIndex]?.custom !== false || previousEnd >= index) continue
        descendantsListedUpTo.set(urn, index)
        for (const child of graph.descendantsOf(urn))
          if (child < index) dependencyIndices.push(child)
      }
    if (state.parent !== '')
      dependencyIndices.push(
        ...graph.indicesOf(state.parent).filter(otherIndex => otherIndex < index),
      )
    return dependencyIndices
  }
}

/** Creates a lookup of direct dependents, children included. */
function createDependentLookup({ states }: StateGraph): (index: number) => readonly number[] {
  const dependentsByUrn = new Map<Urn, number[]>()
  states.forEach((state, index) => {
    const urns = new Set(listDependencies(state).map(({ urn }) => urn))
    const provider = providerUrnOf(state.provider)
    if (provider !== undefined) urns.add(provider)
    for (const urn of urns) {
      const list = dependentsByUrn.get(urn)
      if (list === undefined) dependentsByUrn.set(urn, [index])
      else list.push(index)
    }
  })
  return index => {
    const urn = states[index]?.urn
    return urn === undefined
      ? []
      : (dependentsByUrn.get(urn) ?? []).filter(otherIndex => otherIndex > index)
  }
}

/**
 * Returns the URNs of protected states and of all their dependencies, including providers and
 * parents. If a URN has several copies, a state depends on the last copy with the same value of
 * `delete`, or else on the last copy. Source: docs/spec/graph.md (`transitiveDependenciesOf`).
 */
export function collectProtected({ states, indicesOf }: StateGraph): ReadonlySet<Urn> {
  const reachedIndices = new Set<number>()
  const pendingIndices: number[] = []
  const add = (index: number | undefined): void => {
    if (index === undefined || reachedIndices.has(index)) return
    reachedIndices.add(index)
    pendingIndices.push(index)
  }
  const findDependencyIndex = (dependent: ResourceState, urn: Urn): number | undefined => {
    const indices = indicesOf(urn)
    return (
      indices.findLast(candidate => states[candidate]?.delete === dependent.delete) ??
      indices.at(-1)
    )
  }
  states.forEach((state, index) => {
    if (state.protect) add(index)
  })
  for (let index = pendingIndices.pop(); index !== undefined; index = pendingIndices.pop()) {
    const state = states[index]
    if (state === undefined) continue
    const provider = providerUrnOf(state.provider)
    if (provider !== undefined) add(findDependencyIndex(state, provider))
    for (const { urn } of listDependencies(state)) add(findDependencyIndex(state, urn))
  }
  return new Set([...reachedIndices].flatMap(index => states[index]?.urn ?? []))
}
