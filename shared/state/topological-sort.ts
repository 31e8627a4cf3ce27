import { isProviderType, providerReferenceOf } from '../names/provider-reference.ts'
import { isUrn } from '../names/urn.ts'
import { readTextField, readNestedTexts, readTextListField } from './stored-fields.ts'
import type { StoredResource } from './stored.ts'

/** The progress of the sort for a resource. `inProgress`: its dependencies are being sorted. */
const [unvisited, inProgress, finished] = [0, 1, 2]

/** Positions of the states of one URN, ascending. */
interface StatePositions {
  readonly live: number[]
  readonly oldCopies: number[]
}

/** The positions to which references can point. */
interface ReferenceTargets {
  /** Positions by URN. A number is the only position of its URN, as in most lists. */
  readonly states: ReadonlyMap<string, StatePositions | number>
  /** Positions by exact provider reference: URN and id. */
  readonly providers: ReadonlyMap<string, readonly number[]>
}

/**
 * Sorts dependencies before their dependents. A sorted list stays unchanged. There are two kinds of
 * states: old copies (with `delete`) and live states. Rule 1: a reference points to the nearest
 * state of its URN, preferably to one of the same kind as the referring state. Rule 2: a referring
 * state stays behind the last earlier state of the other kind with the referenced URN. The
 * reference may mean that state. Rule 2 is dropped if it causes a cycle. With a cycle of references
 * the list stays unchanged, and `cycle` is the URN of a member. Linear in states and references.
 * Source: docs/spec/state-integrity.md#repair.
 */
export function sortTopologically(resources: readonly StoredResource[]): {
  readonly resources: readonly StoredResource[]
  readonly cycle: string | undefined
} {
  const targets = indexReferenceTargets(resources)
  const strictSort = sortDepthFirst(resources, index =>
    edgesOf(index, resources, { targets, mustFollowOtherKind: true }),
  )
  if (strictSort.cycle === undefined) return strictSort
  return sortDepthFirst(resources, index =>
    edgesOf(index, resources, { targets, mustFollowOtherKind: false }),
  )
}

/** Sorts depth-first along the edges of each position, without recursion. */
function sortDepthFirst(
  resources: readonly StoredResource[],
  listEdges: (index: number) => readonly number[],
): { readonly resources: readonly StoredResource[]; readonly cycle: string | undefined } {
  const sortedResources: StoredResource[] = []
  const progress = new Uint8Array(resources.length)
  const path: { readonly index: number; readonly edges: readonly number[]; next: number }[] = []
  const enter = (index: number): void => {
    progress[index] = inProgress
    path.push({ index, edges: listEdges(index), next: 0 })
  }
  for (let root = 0; root < resources.length; root++) {
    if (progress[root] === unvisited) enter(root)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const edge = top.edges[top.next++]
      const target = resources[edge ?? top.index]
      if (target === undefined) continue
      if (edge === undefined) {
        path.pop()
        progress[top.index] = finished
        sortedResources.push(target)
      } else if (progress[edge] === inProgress) return { resources, cycle: target.urn }
      else if (progress[edge] === unvisited) enter(edge)
    }
  }
  return { resources: sortedResources, cycle: undefined }
}

function indexReferenceTargets(resources: readonly StoredResource[]): ReferenceTargets {
  const states = new Map<string, StatePositions | number>()
  const providers = new Map<string, number[]>()
  resources.forEach((resource, index) => {
    const { urn, type } = resource
    const earlier = states.get(urn)
    if (earlier === undefined) states.set(urn, index)
    else {
      const positions = typeof earlier === 'number' ? positionsOf(earlier, resources) : earlier
      addPosition(positions, index, resource)
      states.set(urn, positions)
    }
    if (!isProviderType(type) || !isUrn(urn)) return
    const reference = providerReferenceOf(urn, readTextField(resource, 'id'))
    const providerPositions = providers.get(reference) ?? []
    providers.set(reference, providerPositions)
    providerPositions.push(index)
  })
  return { states, providers }
}

function positionsOf(index: number, resources: readonly StoredResource[]): StatePositions {
  const positions: StatePositions = { live: [], oldCopies: [] }
  addPosition(positions, index, resources[index])
  return positions
}

function addPosition(
  { live, oldCopies }: StatePositions,
  index: number,
  resource: StoredResource | undefined,
): void {
  const kindPositions = resource?.['delete'] === true ? oldCopies : live
  kindPositions.push(index)
}

/** Returns the positions of the states that must precede the state at `index`. */
function edgesOf(
  index: number,
  resources: readonly StoredResource[],
  {
    targets,
    mustFollowOtherKind,
  }: { readonly targets: ReferenceTargets; readonly mustFollowOtherKind: boolean },
): readonly number[] {
  const resource = resources[index]
  if (resource === undefined) return []
  const isOldCopy = resource['delete'] === true
  const edges: number[] = []
  const add = (position: number | undefined): void => {
    if (position !== undefined) edges.push(position)
  }
  const addUrn = (urn: string): void => {
    const statePositions = urn === '' ? undefined : targets.states.get(urn)
    if (statePositions === undefined) return
    if (typeof statePositions === 'number') return add(statePositions)
    const { live, oldCopies } = statePositions
    const [sameKind, otherKind] = isOldCopy ? [oldCopies, live] : [live, oldCopies]
    add(findNearest(sameKind, index) ?? findNearest(otherKind, index))
    if (mustFollowOtherKind) add(otherKind[countBefore(otherKind, index) - 1])
  }
  const provider = readTextField(resource, 'provider')
  const providerPositions = provider === '' ? undefined : targets.providers.get(provider)
  if (providerPositions !== undefined) add(findNearest(providerPositions, index))
  addUrn(readTextField(resource, 'parent'))
  for (const urn of readTextListField(resource, 'dependencies')) addUrn(urn)
  for (const urn of readNestedTexts(resource, 'propertyDependencies')) addUrn(urn)
  addUrn(readTextField(resource, 'deletedWith'))
  for (const urn of readTextListField(resource, 'replaceWith')) addUrn(urn)
  return edges
}

/**
 * Returns the last position before `index`, else the first one after `index`, else `index` itself.
 * Returns undefined if there are no positions.
 */
function findNearest(positions: readonly number[], index: number): number | undefined {
  const low = countBefore(positions, index)
  return (
    positions[low - 1] ??
    (positions[low] === index ? positions[low + 1] : positions[low]) ??
    positions[low]
  )
}

/** Returns the number of positions before `index`. */
function countBefore(positions: readonly number[], index: number): number {
  let low = 0
  let high = positions.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((positions[middle] ?? index) < index) low = middle + 1
    else high = middle
  }
  return low
}
