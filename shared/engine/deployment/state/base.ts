import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { Snapshot } from '../../../state/snapshot.ts'
import { error } from '../../../errors/error.ts'
import { type StateGraph, createStateGraph } from '../../graph/dependencies.ts'
import type { Step, TrackedState } from '../../step.ts'

/** The snapshot against which a deployment decides, with its lookups. Immutable. */
export interface Base {
  readonly epoch: number
  readonly snapshot: Snapshot
  readonly graph: StateGraph
  /** Returns the index of the state of a URN that is not marked for deletion. */
  readonly liveIndexOf: (urn: Urn) => number | undefined
  /** Returns a state with its place in the records. */
  readonly trackedAt: (index: number) => TrackedState
  /** Returns the views of a resource. The views of an old copy are old copies too. */
  readonly viewsOf: (owner: Pick<ResourceState, 'urn' | 'delete'>) => readonly TrackedState[]
}

/** Creates the lookups. Throws STATE_INTEGRITY when two live states share a URN. */
export function createBase(snapshot: Snapshot, epoch: number): Base {
  const live = new Map<Urn, number>()
  snapshot.resources.forEach((state, index) => {
    if (state.delete) return
    if (live.has(state.urn))
      throw error('STATE_INTEGRITY', `unexpected duplicate resource '${state.urn}'`)
    live.set(state.urn, index)
  })
  const trackedAt: Base['trackedAt'] = index => {
    const state = snapshot.resources[index]
    if (state === undefined) throw error('INTERNAL_ASSERTION', `the base has no resource ${index}`)
    return { state, ref: { kind: 'base', epoch, index, urn: state.urn } }
  }
  const views = groupViews(snapshot)
  return {
    epoch,
    snapshot,
    graph: createStateGraph(snapshot.resources),
    liveIndexOf: urn => live.get(urn),
    trackedAt,
    viewsOf: owner =>
      (views.get(owner.urn) ?? [])
        .map(trackedAt)
        .filter(({ state }) => state.delete === owner.delete),
  }
}

/** Returns the positions of views by owner. */
function groupViews({ resources }: Snapshot): ReadonlyMap<Urn | '', readonly number[]> {
  return Map.groupBy(resources.keys(), index => resources[index]?.viewOf ?? '')
}

/** Returns a step with the views of its resource. */
export function withOldViews(step: Step, base: Pick<Base, 'viewsOf'>): Step {
  const owner = step.old?.state ?? step.next
  const views = owner === undefined ? [] : base.viewsOf(owner)
  return views.length === 0 ? step : { ...step, views }
}

/**
 * Returns the state of a provider reference in a base, for provider instances that no program
 * registers.
 */
export function findProviderInBase(
  snapshot: Snapshot,
  urn: Urn,
  id: string,
): ResourceState | undefined {
  return snapshot.resources.find(state => state.urn === urn && state.id === id)
}
