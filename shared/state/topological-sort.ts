import { isProviderType, referenceOf } from '../names/provider-reference.ts'
import { isUrn } from '../names/urn.ts'
import { readTextField, readNestedTexts, readTextListField } from './stored-fields.ts'
import type { StoredResource } from './stored.ts'

/** The progress of the sort for a state: not visited, dependencies in progress, placed. */
const [unmet, onPath, done] = [0, 1, 2]

/** Positions of the states of one URN, ascending. */
interface Places {
  readonly live: number[]
  readonly deleted: number[]
}

/** The targets of references. */
interface Lookup {
  readonly states: ReadonlyMap<string, Places>
  /** Positions by exact provider reference: URN and id. */
  readonly providers: ReadonlyMap<string, readonly number[]>
}

/**
 * Sorts dependencies before their dependents. A sorted list stays unchanged. A reference points to
 * the nearest state of its URN: a deleted state prefers a deleted one, a live state a live one. A
 * state also stays behind an earlier state of the other kind. It may have been created with that
 * one, and must then be deleted first. With a cycle the list stays unchanged, and `cycle` names one
 * of its members. Linear in states and references. Source: docs/spec/state-integrity.md#repair.
 */
export function sortTopologically(resources: readonly StoredResource[]): {
  readonly resources: readonly StoredResource[]
  readonly cycle: string | undefined
} {
  const lookup = createLookup(resources)
  const careful = sortDepthFirst(resources, at =>
    edgesOf(at, resources, { lookup, isCareful: true }),
  )
  if (careful.cycle === undefined) return careful
  return sortDepthFirst(resources, at => edgesOf(at, resources, { lookup, isCareful: false }))
}

/** Sorts depth-first along the edges of each position, without recursion. */
function sortDepthFirst(
  resources: readonly StoredResource[],
  listEdges: (at: number) => readonly number[],
): { readonly resources: readonly StoredResource[]; readonly cycle: string | undefined } {
  const placed: StoredResource[] = []
  const met = new Uint8Array(resources.length)
  for (let root = 0; root < resources.length; root++) {
    const path: { readonly at: number; readonly edges: readonly number[]; next: number }[] = []
    const enter = (at: number): void => {
      met[at] = onPath
      path.push({ at, edges: listEdges(at), next: 0 })
    }
    if (met[root] === unmet) enter(root)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const edge = top.edges[top.next++]
      const target = resources[edge ?? top.at]
      if (target === undefined) continue
      if (edge === undefined) {
        path.pop()
        met[top.at] = done
        placed.push(target)
      } else if (met[edge] === onPath) return { resources, cycle: target.urn }
      else if (met[edge] === unmet) enter(edge)
    }
  }
  return { resources: placed, cycle: undefined }
}

function createLookup(resources: readonly StoredResource[]): Lookup {
  const states = new Map<string, Places>()
  const providers = new Map<string, number[]>()
  resources.forEach((resource, at) => {
    const { urn, type } = resource
    const places = states.get(urn) ?? { live: [], deleted: [] }
    states.set(urn, places)
    const list = resource['delete'] === true ? places.deleted : places.live
    list.push(at)
    if (!isProviderType(type) || !isUrn(urn)) return
    const reference = referenceOf(urn, readTextField(resource, 'id'))
    const sharing = providers.get(reference) ?? []
    providers.set(reference, sharing)
    sharing.push(at)
  })
  return { states, providers }
}

function edgesOf(
  at: number,
  resources: readonly StoredResource[],
  { lookup, isCareful }: { readonly lookup: Lookup; readonly isCareful: boolean },
): readonly number[] {
  const resource = resources[at]
  if (resource === undefined) return []
  const isDeleted = resource['delete'] === true
  const edges: number[] = []
  const add = (position: number | undefined): void => {
    if (position !== undefined) edges.push(position)
  }
  const addUrn = (urn: string): void => {
    const places = urn === '' ? undefined : lookup.states.get(urn)
    if (places === undefined) return
    const { live, deleted } = places
    const [first, second] = isDeleted ? [deleted, live] : [live, deleted]
    add(findNearest(first, at) ?? findNearest(second, at))
    if (isCareful) add(second[countBefore(second, at) - 1])
  }
  add(findNearest(lookup.providers.get(readTextField(resource, 'provider')) ?? [], at))
  addUrn(readTextField(resource, 'parent'))
  for (const urn of readTextListField(resource, 'dependencies')) addUrn(urn)
  for (const urn of readNestedTexts(resource, 'propertyDependencies')) addUrn(urn)
  addUrn(readTextField(resource, 'deletedWith'))
  for (const urn of readTextListField(resource, 'replaceWith')) addUrn(urn)
  return edges
}

/** Returns the last position before `at`, else the first after it, else `at` itself. */
function findNearest(positions: readonly number[], at: number): number | undefined {
  const low = countBefore(positions, at)
  return (
    positions[low - 1] ??
    (positions[low] === at ? positions[low + 1] : positions[low]) ??
    positions[low]
  )
}

/** Returns the number of positions before `at`. */
function countBefore(positions: readonly number[], at: number): number {
  let low = 0
  let high = positions.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((positions[middle] ?? at) < at) low = middle + 1
    else high = middle
  }
  return low
}
