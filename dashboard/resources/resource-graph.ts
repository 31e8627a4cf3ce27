import type { StateResource } from './state-resource.ts'

/** The reason why a resource depends on another one. */
export type EdgeReason = 'dependency' | 'parent' | 'provider'

/** An edge of the graph, from a resource to one on which it depends, as indices of the state. */
export interface ResourceEdge {
  readonly from: number
  readonly to: number
  readonly reason: EdgeReason
}

/** The dependencies of a state. */
export interface ResourceGraph {
  readonly edges: readonly ResourceEdge[]
  /** By index: the wave of a destroy in which the resource is deleted. The first one is 1. */
  readonly waves: readonly number[]
  readonly waveCount: number
}

/**
 * Returns the graph of a state, whose resources follow their dependencies. A destroy first deletes
 * the resources of wave 1, on which no resource depends. A dependency on a component also delays
 * the deletes of its descendants. Linear in the edges. Source: shared/engine/graph/waves.ts. Pure.
 */
export function createResourceGraph(resources: readonly StateResource[]): ResourceGraph {
  const indices = Map.groupBy(
    resources.map((_, index) => index),
    index => resources[index]?.urn ?? '',
  )
  const edges = resources.flatMap((resource, from) => edgesOf(resource, from, indices))
  const edgesByResource = Map.groupBy(edges, ({ from }) => from)
  const waves = resources.map(() => 1)
  /**
   * By URN of a component: the first wave in which its dependents allow deletes of its descendants.
   */
  const componentWaves = new Map<string, number>()
  // The loop runs backwards: the dependents of a resource come after it, and their waves decide its
  // own.
  for (let index = resources.length - 1; index >= 0; index -= 1) {
    const wave = Math.max(
      waves[index] ?? 1,
      waveOfAncestors(resources, indices, index, componentWaves),
    )
    waves[index] = wave
    for (const { to, reason } of edgesByResource.get(index) ?? []) {
      waves[to] = Math.max(waves[to] ?? 1, wave + 1)
      const { urn = '', custom } = resources[to] ?? {}
      if (reason === 'dependency' && custom === false)
        componentWaves.set(urn, Math.max(componentWaves.get(urn) ?? 1, wave + 1))
    }
  }
  const waveCount = waves.reduce((max, wave) => Math.max(max, wave), 0)
  return { edges, waves, waveCount }
}

/** The neighbors of a resource, as indices of the state. */
export interface ResourceNeighbors {
  readonly dependsOn: readonly Neighbor[]
  readonly dependents: readonly Neighbor[]
}

interface Neighbor {
  readonly index: number
  readonly reason: EdgeReason
}

/** Returns the neighbors of a resource, dependencies before parents and providers. Pure. */
export function findNeighbors({ edges }: ResourceGraph, index: number): ResourceNeighbors {
  const compareReasons = ({ reason: a }: Neighbor, { reason: b }: Neighbor): number =>
    reasonOrder.indexOf(a) - reasonOrder.indexOf(b)
  return {
    dependsOn: edges
      .flatMap(({ from, to, reason }) => (from === index ? [{ index: to, reason }] : []))
      .toSorted(compareReasons),
    dependents: edges
      .flatMap(({ from, to, reason }) => (to === index ? [{ index: from, reason }] : []))
      .toSorted(compareReasons),
  }
}

const reasonOrder: readonly EdgeReason[] = ['dependency', 'parent', 'provider']

/** Returns the edges to earlier resources. The first of several reasons for an edge counts. */
function edgesOf(
  resource: StateResource,
  from: number,
  indices: ReadonlyMap<string, readonly number[]>,
): readonly ResourceEdge[] {
  const reasons = new Map<number, EdgeReason>()
  const addEdges = (urns: readonly (string | undefined)[], reason: EdgeReason): void => {
    for (const urn of urns)
      for (const to of indices.get(urn ?? '') ?? [])
        if (to < from && !reasons.has(to)) reasons.set(to, reason)
  }
  const { dependencies = [], propertyDependencies = {}, deletedWith, replaceWith = [] } = resource
  addEdges(dependencies, 'dependency')
  for (const urns of Object.values(propertyDependencies)) addEdges(urns ?? [], 'dependency')
  addEdges([deletedWith, ...replaceWith], 'dependency')
  addEdges([resource.parent], 'parent')
  addEdges([providerUrnOf(resource.provider)], 'provider')
  return [...reasons].map(([to, reason]) => ({ from, to, reason }))
}

/** Returns the URN of a reference to a provider: `<urn>::<id>`. */
function providerUrnOf(reference: string | undefined): string | undefined {
  return reference?.slice(0, reference.lastIndexOf('::'))
}

function waveOfAncestors(
  resources: readonly StateResource[],
  indices: ReadonlyMap<string, readonly number[]>,
  index: number,
  componentWaves: ReadonlyMap<string, number>,
): number {
  if (componentWaves.size === 0) return 1
  let wave = 1
  let child = index
  for (;;) {
    const parent = resources[child]?.parent ?? ''
    wave = Math.max(wave, componentWaves.get(parent) ?? 1)
    const parentIndex = indices.get(parent)?.[0]
    // Parents precede their children, except in a damaged state, which may even contain a cycle.
    if (parentIndex === undefined || parentIndex >= child) return wave
    child = parentIndex
  }
}
