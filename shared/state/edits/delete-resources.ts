import { error } from '../../errors/error.ts'
import type { StoredDeployment, StoredResource } from '../stored.ts'
import { isUrn, nameOf } from '../../names/urn.ts'
import { dependentsOf } from './dependents.ts'
import { positionOf } from './find-resource.ts'

/** The resources to remove from the state: URNs (with an id if several share one), or all. */
export interface DeleteResourcesRequest {
  readonly urns: readonly { readonly urn: string; readonly id?: string }[] | 'all'
  /** Whether protected resources are removed too. */
  readonly force: boolean
  /** Whether dependents are removed too. */
  readonly dependents: boolean
}

/** The result of removing resources from a state. */
export interface DeleteResourcesResult {
  readonly state: StoredDeployment
  /** URNs of the removed resources, in the order of the state. */
  readonly gone: readonly string[]
  /** The removed URNs that were protected. */
  readonly forced: readonly string[]
  /** The number of removed resources that were named. */
  readonly named: number
}

/**
 * Removes resources from the state, without a change in the cloud. Throws CLI_USAGE,
 * STATE_RESOURCE_UNKNOWN, STATE_URN_AMBIGUOUS, STATE_RESOURCE_NEEDED for a resource with
 * dependents, STATE_RESOURCE_PROTECTED without `force`. Source:
 * docs/spec/state-integrity.md#state-edits.
 */
export function deleteResources(
  state: StoredDeployment,
  request: DeleteResourcesRequest,
): DeleteResourcesResult {
  const { resources = [] } = state
  const { urns } = request
  const named =
    urns === 'all'
      ? resources.map((_, at) => at)
      : [...new Set(urns.map(({ urn, id }) => positionOf(resources, urn, id)))]
  const gone = new Set<number>()
  // Dependents come later in the list, so they are removed first.
  for (const at of named.toSorted((a, b) => b - a)) {
    requireUnprotected(resources, at, request)
    if (urns !== 'all') addDependents(resources, at, { request, gone })
    gone.add(at)
  }
  const isGone = (_: StoredResource, at: number): boolean => gone.has(at)
  const kept = resources.filter((resource, at) => !isGone(resource, at))
  const removed = resources.filter(isGone)
  const { resources: _before, ...rest } = state
  return {
    state: gone.size === 0 ? state : kept.length === 0 ? rest : { ...state, resources: kept },
    gone: removed.map(({ urn }) => urn),
    forced: removed.filter(({ protect }) => protect === true).map(({ urn }) => urn),
    named: named.length,
  }
}

function addDependents(
  resources: readonly StoredResource[],
  at: number,
  { request, gone }: { readonly request: DeleteResourcesRequest; readonly gone: Set<number> },
): void {
  const left = resources.flatMap((resource, place) =>
    gone.has(place) ? [] : [{ resource, place }],
  )
  const here = left.findIndex(({ place }) => place === at)
  const found = dependentsOf(
    left.map(({ resource }) => resource),
    here,
  ).flatMap(place => left[place] ?? [])
  if (found.length > 0 && !request.dependents)
    throw stillNeededError(resources[at]?.urn ?? '', found)
  for (const { place } of found) {
    requireUnprotected(resources, place, request)
    gone.add(place)
  }
}

function stillNeededError(
  urn: string,
  by: readonly { readonly resource: StoredResource }[],
): Error {
  const urns = by.map(({ resource }) => resource.urn)
  const lines = urns.map(other => ` * '${isUrn(other) ? nameOf(other) : other}' (${other})`)
  return error(
    'STATE_RESOURCE_NEEDED',
    `${urn} can't be safely deleted because the following resources depend on it:\n${lines.join('\n')}`,
    { details: { urn, dependents: urns } },
  )
}

function requireUnprotected(
  resources: readonly StoredResource[],
  at: number,
  { force }: DeleteResourcesRequest,
): void {
  const resource = resources[at]
  if (resource?.['protect'] !== true || force) return
  throw error(
    'STATE_RESOURCE_PROTECTED',
    `${resource.urn} can't be safely deleted because it is protected`,
    { details: { urn: resource.urn } },
  )
}
