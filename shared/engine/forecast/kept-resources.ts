import type { Urn } from '../../names/urn.ts'
import type { KeptResource } from '../../records/forecast.ts'
import { findBlockedDeletes } from '../graph/blocked-deletes.ts'
import { findDeleteEdges, findDependencyEdges } from '../graph/delete-edges.ts'
import { isProtected } from '../step.ts'
import type { PlannedDeletes } from './step-graph.ts'

/** Maximum number of kept resources that are listed. */
const keptMax = 20
/** Maximum number of other resources that are listed because one kept resource keeps them. */
const keepsMax = 10

/**
 * Lists the resources that deletes keep, and the others that stay because of them. A protected
 * resource keeps its dependencies. A protected or retained one keeps the objects of resources that
 * would be deleted with it. `areProtectedExcluded`: whether the deletes exclude protected
 * resources. If so, the protected resources of the whole graph are listed.
 */
export function findKeptResources(
  { graph, condemned }: Pick<PlannedDeletes, 'graph' | 'condemned'>,
  areProtectedExcluded: boolean,
): { readonly kept: readonly KeptResource[]; readonly keptCount: number } {
  const allIndices = [...graph.states.keys()]
  const protectedIndices = new Set(
    areProtectedExcluded
      ? allIndices.filter(index => graph.states[index]?.protect === true)
      : condemned.filter(({ step }) => isProtected(step)).map(({ graphIndex }) => graphIndex),
  )
  const retainedIndices = condemned
    .filter(({ step: { op, old } }) => op === 'delete' && old?.state.retainOnDelete === true)
    .map(({ graphIndex }) => graphIndex)
    .filter(index => !protectedIndices.has(index))
  const keptCount = protectedIndices.size + retainedIndices.length
  if (keptCount === 0) return { kept: [], keptCount }
  const condemnedIndices = condemned.map(({ graphIndex }) => graphIndex)
  // `findDeleteEdges` adds edges that delay the delete of the root stack. Excluded resources are
  // not deleted, so they keep the root stack only if they depend on it.
  const edges = areProtectedExcluded
    ? findDependencyEdges(graph, new Set(allIndices))
    : findDeleteEdges(graph, new Set(condemnedIndices))
  const urnOf = (index: number): readonly Urn[] => {
    const state = graph.states[index]
    return state === undefined ? [] : [state.urn]
  }
  const deletedTogether = groupByContainer(condemned)
  const toKeptResource = (
    index: number,
    reason: KeptResource['reason'],
  ): readonly KeptResource[] => {
    const blockedIndices = reason === 'protected' ? findBlockedDeletes([index], edges) : [index]
    const blockedUrns = [...blockedIndices].toSorted((a, b) => a - b).flatMap(urnOf)
    return urnOf(index).map(urn => {
      const keeps = [...collectDeletedTogether(blockedUrns, deletedTogether)].filter(
        kept => kept !== urn,
      )
      return { urn, reason, keepsCount: keeps.length, keeps: keeps.slice(0, keepsMax) }
    })
  }
  const kept = [
    ...[...protectedIndices].map(index => [index, 'protected'] as const),
    ...retainedIndices.map(index => [index, 'retained'] as const),
  ]
  return {
    kept: kept.slice(0, keptMax).flatMap(([index, reason]) => toKeptResource(index, reason)),
    keptCount,
  }
}

/**
 * Groups the URNs of deletes without a provider call. All URNs of a group have the same container:
 * the resource whose delete also deletes their objects.
 */
function groupByContainer(
  condemned: PlannedDeletes['condemned'],
): ReadonlyMap<Urn, readonly Urn[]> {
  const skippedStates = condemned.flatMap(({ step: { skipCall, old } }) =>
    skipCall && old !== undefined && old.state.deletedWith !== '' ? [old.state] : [],
  )
  const groups = Map.groupBy(skippedStates, ({ deletedWith }) => deletedWith as Urn)
  return new Map(
    [...groups].map(([container, states]) => [container, states.map(({ urn }) => urn)]),
  )
}

/** Returns `urns`, and the URNs of the resources that are deleted with them, also indirectly. */
function collectDeletedTogether(
  urns: readonly Urn[],
  deletedTogether: ReadonlyMap<Urn, readonly Urn[]>,
): ReadonlySet<Urn> {
  const collected = new Set(urns)
  for (const urn of collected)
    for (const member of deletedTogether.get(urn) ?? []) collected.add(member)
  return collected
}
