import type { Urn } from '../../names/urn.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import { error } from '../../errors/error.ts'
import { type StateGraph, stateGraph } from '../graph/dependencies.ts'
import type { Step, TrackedState } from '../step.ts'

/** The snapshot that a deployment decides against, with its look-ups. Immutable. */
export interface Base {
  readonly epoch: number
  readonly snapshot: Snapshot
  readonly graph: StateGraph
  /** The state of a URN that is not marked for deletion. */
  readonly live: (urn: Urn) => number | undefined
  /** A state with its place in the records. */
  readonly tracked: (index: number) => TrackedState
  /** The views of a resource: those of an old copy are old copies too. */
  readonly views: (owner: Pick<ResourceState, 'urn' | 'delete'>) => readonly TrackedState[]
}

/** Makes the look-ups. Throws STATE_INTEGRITY when two live states share a URN. */
export function baseOf(snapshot: Snapshot, epoch: number): Base {
  const live = new Map<Urn, number>()
  snapshot.resources.forEach((state, index) => {
    if (state.delete) return
    if (live.has(state.urn))
      throw error('STATE_INTEGRITY', `unexpected duplicate resource '${state.urn}'`)
    live.set(state.urn, index)
  })
  const tracked: Base['tracked'] = index => {
    const state = snapshot.resources[index]
    if (state === undefined) throw error('INTERNAL_ASSERTION', `the base has no resource ${index}`)
    return { state, ref: { kind: 'base', epoch, index, urn: state.urn } }
  }
  const views = viewsIn(snapshot)
  return {
    epoch,
    snapshot,
    graph: stateGraph(snapshot.resources),
    live: urn => live.get(urn),
    tracked,
    views: owner =>
      (views.get(owner.urn) ?? [])
        .map(tracked)
        .filter(({ state }) => state.delete === owner.delete),
  }
}

/** The places of views, by their owners. */
function viewsIn({ resources }: Snapshot): ReadonlyMap<Urn | '', readonly number[]> {
  return Map.groupBy(resources.keys(), index => resources[index]?.viewOf ?? '')
}

/** A step with the views of its resource. */
export function withOldViews(step: Step, base: Pick<Base, 'views'>): Step {
  const owner = step.old?.state ?? step.next
  const views = owner === undefined ? [] : base.views(owner)
  return views.length === 0 ? step : { ...step, views }
}

/** The state of a provider reference in a base, for instances that no program registers. */
export function providerStateIn(
  snapshot: Snapshot,
  urn: Urn,
  id: string,
): ResourceState | undefined {
  return snapshot.resources.find(state => state.urn === urn && state.id === id)
}
