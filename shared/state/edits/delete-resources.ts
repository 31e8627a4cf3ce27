import { createError } from '../../errors/error.ts'
import type { StoredDeployment, StoredResource } from '../stored.ts'
import { isUrn, nameOf } from '../../names/urn.ts'
import { dependentsOf } from './dependents.ts'
import { positionOf } from './find-resource.ts'

/**
 * The resources to remove from the state: all of them, or those with the named URNs. An `id`
 * selects one of several resources with a URN.
 */
export interface DeleteResourcesRequest {
  readonly urns: readonly { readonly urn: string; readonly id?: string | undefined }[] | 'all'
  /** Whether protected resources are removed too. */
  readonly force: boolean
  /** Whether dependents are removed too. */
  readonly dependents: boolean
}

/** The result of removing resources from a state. */
export interface DeleteResourcesResult {
  readonly state: StoredDeployment
  /** URNs of the removed resources, in the order of the state. */
  readonly removedUrns: readonly string[]
  /** The removed URNs that were protected. */
  readonly forcedUrns: readonly string[]
  /** The number of resources that the request selects directly, without their dependents. */
  readonly namedCount: number
}

/**
 * Removes resources from the state, without a change in the cloud. Throws CLI_USAGE,
 * STATE_RESOURCE_UNKNOWN, STATE_URN_AMBIGUOUS. Throws STATE_RESOURCE_NEEDED for a resource with
 * dependents that the request does not include. Throws STATE_RESOURCE_PROTECTED for a protected
 * resource without `force`. Source: docs/spec/state-integrity.md#state-edits.
 */
export function deleteResources(
  state: StoredDeployment,
  request: DeleteResourcesRequest,
): DeleteResourcesResult {
  const { resources = [] } = state
  const { urns } = request
  const namedPositions =
    urns === 'all'
      ? resources.map((_, position) => position)
      : [...new Set(urns.map(({ urn, id }) => positionOf(resources, urn, id)))]
  const removedPositions = new Set<number>()
  // Dependents come later in the list, so they are removed first.
  for (const position of namedPositions.toSorted((a, b) => b - a)) {
    requireUnprotected(resources, position, request)
    if (urns !== 'all') addDependents(resources, position, { request, removedPositions })
    removedPositions.add(position)
  }
  const isRemoved = (_: StoredResource, position: number): boolean => removedPositions.has(position)
  const keptResources = resources.filter((resource, position) => !isRemoved(resource, position))
  const removedResources = resources.filter(isRemoved)
  const { resources: _previous, ...remainingFields } = state
  return {
    state:
      removedPositions.size === 0
        ? state
        : keptResources.length === 0
          ? remainingFields
          : { ...state, resources: keptResources },
    removedUrns: removedResources.map(({ urn }) => urn),
    forcedUrns: removedResources.filter(({ protect }) => protect === true).map(({ urn }) => urn),
    namedCount: namedPositions.length,
  }
}

function addDependents(
  resources: readonly StoredResource[],
  position: number,
  {
    request,
    removedPositions,
  }: { readonly request: DeleteResourcesRequest; readonly removedPositions: Set<number> },
): void {
  const remainingResources = resources.flatMap((resource, index) =>
    removedPositions.has(index) ? [] : [{ resource, index }],
  )
  const rootPosition = remainingResources.findIndex(({ index }) => index === position)
  const dependents = dependentsOf(
    remainingResources.map(({ resource }) => resource),
    rootPosition,
  ).flatMap(remainingPosition => remainingResources[remainingPosition] ?? [])
  if (dependents.length > 0 && !request.dependents)
    throw createStillNeededError(resources[position]?.urn ?? '', dependents)
  for (const { index } of dependents) {
    requireUnprotected(resources, index, request)
    removedPositions.add(index)
  }
}

function createStillNeededError(
  urn: string,
  dependents: readonly { readonly resource: StoredResource }[],
): Error {
  const urns = dependents.map(({ resource }) => resource.urn)
  const lines = urns.map(other => ` * '${isUrn(other) ? nameOf(other) : other}' (${other})`)
  return createError(
    'STATE_RESOURCE_NEEDED',
    `${urn} can't be safely deleted because the following resources depend on it:\n${lines.join('\n')}`,
    { details: { urn, dependents: urns } },
  )
}

function requireUnprotected(
  resources: readonly StoredResource[],
  position: number,
  { force }: DeleteResourcesRequest,
): void {
  const resource = resources[position]
  if (resource?.['protect'] !== true || force) return
  throw createError(
    'STATE_RESOURCE_PROTECTED',
    `${resource.urn} can't be safely deleted because it is protected`,
    { details: { urn: resource.urn } },
  )
}
