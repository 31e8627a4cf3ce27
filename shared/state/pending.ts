import { createError } from '../errors/error.ts'
import { parseProviderReference, providerReferenceOf } from '../names/provider-reference.ts'
import type { Urn } from '../names/urn.ts'
import { withFields } from './field-order.ts'
import { rebuildDependencies } from './rebuild-dependencies.ts'
import { sortTopologically } from './topological-sort.ts'
import type { StoredDeployment, StoredOperation, StoredResource } from './stored.ts'

/** Returns the pending operations of a state, in order. */
export function pendingOperationsOf(state: StoredDeployment): readonly StoredOperation[] {
  return state.pending_operations ?? []
}

/**
 * Removes the pending operations of a URN after the user confirmed that they had no effect. Throws
 * PENDING_NOT_FOUND.
 */
export function clearPendingOperations(state: StoredDeployment, urn: string): StoredDeployment {
  requirePendingOperation(state, urn)
  return withPendingOperations(
    state,
    pendingOperationsOf(state).filter(({ resource }) => resource.urn !== urn),
  )
}

/** Removes all pending creates. */
export function clearPendingCreates(state: StoredDeployment): StoredDeployment {
  return withPendingOperations(
    state,
    pendingOperationsOf(state).filter(({ type }) => type !== 'creating'),
  )
}

/**
 * Adds the resource of a pending create with the id that a user found. The outputs of the resource
 * are unknown, so `refreshBeforeUpdate` makes the next deployment refresh it first. Another pending
 * create of the URN stays, because that create may have created another object. Throws
 * PENDING_NOT_FOUND, also when the pending operation is not a create. Throws CLI_USAGE when another
 * live resource has the URN, or when another resource has the same id, type and provider. Throws
 * PROVIDER_REFERENCE when the provider is gone.
 */
export function importPendingCreate(
  state: StoredDeployment,
  urn: string,
  id: string,
): StoredDeployment {
  requirePendingOperation(state, urn)
  const pendingCreate = pendingOperationsOf(state).find(
    ({ resource, type }) => resource.urn === urn && type === 'creating',
  )
  if (pendingCreate === undefined)
    throw createError('PENDING_NOT_FOUND', `the pending operation of ${urn} is not a create`)
  const remainingState = withoutPendingReplacement(state, urn)
  const { resources = [] } = remainingState
  if (resources.some(resource => resource.urn === urn && resource['delete'] !== true))
    throw createError('CLI_USAGE', `the state already has a resource ${urn}`)
  const conflictingResource = resources.find(
    resource =>
      resource['id'] === id &&
      resource.type === pendingCreate.resource.type &&
      resource['provider'] === pendingCreate.resource['provider'],
  )
  if (conflictingResource !== undefined)
    throw createError(
      'CLI_USAGE',
      `the id '${id}' already belongs to ${conflictingResource.urn} in this state`,
      {
        hint: 'Find the id of the object that the interrupted create created: two resources must not share one object.',
      },
    )
  if (!hasProvider(resources, pendingCreate.resource))
    throw createError('PROVIDER_REFERENCE', `the provider of ${urn} is no longer in the state`, {
      hint: 'Delete the object by hand, then run `antichain state pending clear <urn>`.',
    })
  const importedResource = withFields(pendingCreate.resource, { id, refreshBeforeUpdate: true })
  const remainingOperations = pendingOperationsOf(state).filter(
    operation => operation !== pendingCreate,
  )
  return withPendingOperations(withResource(remainingState, importedResource), remainingOperations)
}

/**
 * Removes the resource with a URN if its object was deleted for a replacement that does not exist
 * yet. The replacement takes over the URN, and possibly the id.
 */
export function withoutPendingReplacement(state: StoredDeployment, urn: string): StoredDeployment {
  const { resources = [] } = state
  const remainingResources = resources.filter(
    resource => resource.urn !== urn || !isReplacementPending(resource),
  )
  return remainingResources.length === resources.length
    ? state
    : { ...state, resources: remainingResources }
}

/** Reports whether the object of a resource was deleted and its replacement does not exist yet. */
export function isReplacementPending(resource: StoredResource): boolean {
  return resource['pendingReplacement'] === true
}

/**
 * Reports whether a resource needs no provider, or has its provider in the list. If neither is
 * true, a state with this resource is invalid.
 */
export function hasProvider(
  resources: readonly StoredResource[],
  { provider }: StoredResource,
): boolean {
  if (typeof provider !== 'string' || provider === '') return true
  const { urn, id } = parseProviderReference(provider)
  const normalizedReference = providerReferenceOf(urn, id)
  return resources.some(
    resource =>
      typeof resource['id'] === 'string' &&
      providerReferenceOf(resource.urn as Urn, resource['id']) === normalizedReference,
  )
}

/**
 * Adds a resource to the state, without its references to missing resources, and sorts the
 * resources.
 */
export function withResource(
  state: StoredDeployment,
  newResource: StoredResource,
): StoredDeployment {
  const { resources = [] } = state
  const trimmedResource = rebuildDependencies([...resources, newResource]).at(-1) ?? newResource
  return { ...state, resources: sortTopologically([...resources, trimmedResource]).resources }
}

/** Returns the state as Pulumi writes it: pending operations without their origin. */
export function withoutOperationOrigins(state: StoredDeployment): StoredDeployment {
  const plainOperations = pendingOperationsOf(state).map(({ resource, type }) => ({
    resource,
    type,
  }))
  return withPendingOperations(state, plainOperations)
}

function requirePendingOperation(state: StoredDeployment, urn: string): void {
  if (!pendingOperationsOf(state).some(({ resource }) => resource.urn === urn))
    throw createError('PENDING_NOT_FOUND', `no operation of ${urn} is pending`)
}

/**
 * Returns the state with other pending operations. The order of fields stays, because exports are
 * compared byte by byte.
 */
export function withPendingOperations(
  state: StoredDeployment,
  pending: readonly StoredOperation[],
): StoredDeployment {
  const { pending_operations: _previous, ...remainingFields } = state
  return pending.length === 0 ? remainingFields : { ...state, pending_operations: pending }
}
