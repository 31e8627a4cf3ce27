import type { Urn } from '../names/urn.ts'
import type { ResourceState } from './resource.ts'

/**
 * Returns the list after a refresh: refreshed states keep their places, deleted ones are removed,
 * and references to them are cut. Source: docs/spec/deployment.md#base-state-after-a-refresh,
 * docs/spec/journal.md#replay-of-entries.
 */
export function rebuildAfterRefresh(
  states: readonly ResourceState[],
  results: ReadonlyMap<ResourceState, ResourceState | undefined>,
): readonly ResourceState[] {
  const seen = new Set<Urn>()
  const kept: ResourceState[] = []
  for (const state of states) {
    const now = results.has(state) ? results.get(state) : state
    if (now === undefined) continue
    const cut = cutReferences(now, seen)
    kept.push(cut)
    seen.add(cut.urn)
  }
  return kept.map(state =>
    state.parent === '' || seen.has(state.parent) ? state : { ...state, parent: '' },
  )
}

function cutReferences(state: ResourceState, seen: ReadonlySet<Urn>): ResourceState {
  const keepSeen = (urns: readonly Urn[]): readonly Urn[] => urns.filter(urn => seen.has(urn))
  const byProperty = [...state.propertyDependencies].map(
    ([key, urns]) => [key, keepSeen(urns)] as const,
  )
  return {
    ...state,
    dependencies: keepSeen(state.dependencies),
    propertyDependencies: new Map(byProperty.filter(([, urns]) => urns.length > 0)),
    deletedWith: state.deletedWith !== '' && seen.has(state.deletedWith) ? state.deletedWith : '',
    replaceWith: keepSeen(state.replaceWith),
  }
}
