import type { Urn } from '../names/urn.ts'
import type { ResourceState } from './resource.ts'

/**
 * Returns the states of a stack after a refresh, in the same order. `results` contains the new
 * state of each refreshed state, or undefined if its object is gone. Dependencies, `deletedWith`
 * and `replaceWith` lose URNs that no earlier state has, and missing parents are removed. Source:
 * docs/spec/deployment.md#base-state-after-a-refresh, docs/spec/journal.md#replay-of-entries.
 */
export function rebuildAfterRefresh(
  states: readonly ResourceState[],
  results: ReadonlyMap<ResourceState, ResourceState | undefined>,
): readonly ResourceState[] {
  const earlierUrns = new Set<Urn>()
  const rebuiltStates: ResourceState[] = []
  for (const state of states) {
    const refreshedState = results.has(state) ? results.get(state) : state
    if (refreshedState === undefined) continue
    const prunedState = removeDanglingReferences(refreshedState, earlierUrns)
    rebuiltStates.push(prunedState)
    earlierUrns.add(prunedState.urn)
  }
  return rebuiltStates.map(state =>
    state.parent === '' || earlierUrns.has(state.parent) ? state : { ...state, parent: '' },
  )
}

function removeDanglingReferences(
  state: ResourceState,
  earlierUrns: ReadonlySet<Urn>,
): ResourceState {
  const keepEarlier = (urns: readonly Urn[]): readonly Urn[] =>
    urns.filter(urn => earlierUrns.has(urn))
  const byProperty = [...state.propertyDependencies].map(
    ([key, urns]) => [key, keepEarlier(urns)] as const,
  )
  return {
    ...state,
    dependencies: keepEarlier(state.dependencies),
    propertyDependencies: new Map(byProperty.filter(([, urns]) => urns.length > 0)),
    deletedWith:
      state.deletedWith !== '' && earlierUrns.has(state.deletedWith) ? state.deletedWith : '',
    replaceWith: keepEarlier(state.replaceWith),
  }
}
