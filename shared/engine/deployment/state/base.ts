import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { Snapshot } from '../../../state/snapshot.ts'
import { createError } from '../../../errors/error.ts'
import { type StateGraph, createStateGraph } from '../../graph/dependencies.ts'
import type { Step, TrackedState } from '../../step.ts'

/** The snapshot against which a deployment decides, with its lookups. Immutable. */
export interface Base {
  readonly epoch: number
  readonly snapshot: Snapshot
  readonly graph: StateGraph
  /**
   * Returns the index of the live state of a URN: the one that is not marked for deletion.
   * Undefined if the base has none.
   */
  readonly liveIndexOf: (urn: Urn) => number | undefined
  /** Returns the state at an index, with its reference. */
  readonly trackedStateAt: (index: number) => TrackedState
  /**
   * Returns the views of the resource `owner`. For a live state, these are the live views. For an
   * old copy, these are the old copies of the views.
   */
  readonly viewsOf: (owner: Pick<ResourceState, 'urn' | 'delete'>) => readonly TrackedState[]
}

/** Creates a base with its lookups. Throws STATE_INTEGRITY when two live states share a URN. */
export function createBase(snapshot: Snapshot, epoch: number): Base {
  const liveIndices = new Map<Urn, number>()
  snapshot.resources.forEach((state, index) => {
    if (state.delete) return
    if (liveIndices.has(state.urn))
      throw createError('STATE_INTEGRITY', `unexpected duplicate resource '${state.urn}'`)
    liveIndices.set(state.urn, index)
  })
  const trackedStateAt: Base['trackedStateAt'] = index => {
    const state = snapshot.resources[index]
    if (state === undefined)
      throw createError('INTERNAL_ASSERTION', `the base has no resource ${index}`)
    return { state, ref: { kind: 'base', epoch, index, urn: state.urn } }
  }
  const viewIndices = groupViews(snapshot)
  return {
    epoch,
    snapshot,
    graph: createStateGraph(snapshot.resources),
    liveIndexOf: urn => liveIndices.get(urn),
    trackedStateAt,
    viewsOf: owner =>
      (viewIndices.get(owner.urn) ?? [])
        .map(trackedStateAt)
        .filter(({ state }) => state.delete === owner.delete),
  }
}

/** Returns the indices of views by owner. The key '' has the resources that are not views. */
function groupViews({ resources }: Snapshot): ReadonlyMap<Urn | '', readonly number[]> {
  return Map.groupBy(resources.keys(), index => resources[index]?.viewOf ?? '')
}

/** Returns a step with the views that its resource has in the base. */
export function withBaseViews(step: Step, base: Pick<Base, 'viewsOf'>): Step {
  const owner = step.old?.state ?? step.next
  const views = owner === undefined ? [] : base.viewsOf(owner)
  return views.length === 0 ? step : { ...step, views }
}

/**
 * Returns the state of the provider with this URN and id. Undefined if there is none. A destroy or
 * refresh without its program starts such providers, because no program registers them.
 */
export function findProviderInBase(
  snapshot: Snapshot,
  urn: Urn,
  id: string,
): ResourceState | undefined {
  return snapshot.resources.find(state => state.urn === urn && state.id === id)
}
