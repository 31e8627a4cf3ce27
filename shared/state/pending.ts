import { error } from '../errors/error.ts'
import { parseReference, referenceOf } from '../names/provider-reference.ts'
import type { Urn } from '../names/urn.ts'
import { rebuildDependencies } from './rebuild-dependencies.ts'
import { sortTopologically } from './topological-sort.ts'
import type { StoredDeployment, StoredOperation, StoredResource } from './stored.ts'

/** Returns the pending operations of a state, in order. */
export function pendingOf(state: StoredDeployment): readonly StoredOperation[] {
  return state.pending_operations ?? []
}

/**
 * Removes the pending operations of a URN after the user confirmed that they had no effect. Throws
 * PENDING_NOT_FOUND.
 */
export function clearPending(state: StoredDeployment, urn: string): StoredDeployment {
  requirePending(state, urn)
  return withPending(
    state,
    pendingOf(state).filter(({ resource }) => resource.urn !== urn),
  )
}

/** Removes all pending creates, regardless of their results. */
export function clearPendingCreates(state: StoredDeployment): StoredDeployment {
  return withPending(
    state,
    pendingOf(state).filter(({ type }) => type !== 'creating'),
  )
}

/**
 * Adds the resource of a pending create with the id that a user found. Its outputs are unknown, so
 * it is marked for a refresh, with which the next deployment begins. Another pending create of the
 * URN stays, because it may have created another object. Throws PENDING_NOT_FOUND, also when the
 * pending operation is not a create. Throws CLI_USAGE when the state already has the URN, or the id
 * with the same type. Throws PROVIDER_REFERENCE when the provider is gone.
 */
export function importPending(state: StoredDeployment, urn: string, id: string): StoredDeployment {
  requirePending(state, urn)
  const create = pendingOf(state).find(
    ({ resource, type }) => resource.urn === urn && type === 'creating',
  )
  if (create === undefined)
    throw error('PENDING_NOT_FOUND', `the pending operation of ${urn} is not a create`)
  const rest = withoutReplaced(state, urn)
  const { resources = [] } = rest
  if (resources.some(resource => resource.urn === urn && resource['delete'] !== true))
    throw error('CLI_USAGE', `the state already has a resource ${urn}`)
  const other = resources.find(
    resource =>
      resource['id'] === id &&
      resource.type === create.resource.type &&
      resource['provider'] === create.resource['provider'],
  )
  if (other !== undefined)
    throw error('CLI_USAGE', `the id '${id}' already belongs to ${other.urn} in this state`, {
      hint: 'Find the id of the object that the interrupted create created: two resources must not share one object.',
    })
  if (!hasProvider(resources, create.resource))
    throw error('PROVIDER_REFERENCE', `the provider of ${urn} is no longer in the state`, {
      hint: 'Delete the object by hand, then run `antichain state pending clear <urn>`.',
    })
  const made: StoredResource = { ...create.resource, id, refreshBeforeUpdate: true }
  const left = pendingOf(state).filter(operation => operation !== create)
  return withPending(withResource(rest, made), left)
}

/**
 * Removes the resource of a URN that was deleted for its replacement. Its object is gone, and the
 * replacement, possibly with the same id, takes its place.
 */
export function withoutReplaced(state: StoredDeployment, urn: string): StoredDeployment {
  const { resources = [] } = state
  const left = resources.filter(resource => resource.urn !== urn || !isReplaced(resource))
  return left.length === resources.length ? state : { ...state, resources: left }
}

/** Reports whether the object of a resource was deleted and its replacement does not exist yet. */
export function isReplaced(resource: StoredResource): boolean {
  return resource['pendingReplacement'] === true
}

/**
 * Reports whether the provider of a resource is in the list. No valid state contains a resource
 * without its provider.
 */
export function hasProvider(
  resources: readonly StoredResource[],
  { provider }: StoredResource,
): boolean {
  if (typeof provider !== 'string' || provider === '') return true
  const { urn, id } = parseReference(provider)
  const wanted = referenceOf(urn, id)
  return resources.some(
    resource =>
      typeof resource['id'] === 'string' &&
      referenceOf(resource.urn as Urn, resource['id']) === wanted,
  )
}

/** Adds a resource to the state, with only those of its dependencies that exist. */
export function withResource(state: StoredDeployment, made: StoredResource): StoredDeployment {
  const { resources = [] } = state
  const cut = rebuildDependencies([...resources, made]).at(-1) ?? made
  return { ...state, resources: sortTopologically([...resources, cut]).resources }
}

/** Returns the state as Pulumi writes it: pending operations without their origin. */
export function withoutOrigins(state: StoredDeployment): StoredDeployment {
  const plain = pendingOf(state).map(({ resource, type }) => ({ resource, type }))
  return withPending(state, plain)
}

function requirePending(state: StoredDeployment, urn: string): void {
  if (!pendingOf(state).some(({ resource }) => resource.urn === urn))
    throw error('PENDING_NOT_FOUND', `no operation of ${urn} is pending`)
}

/** Keeps the order of fields, because exports are compared byte by byte. */
export function withPending(
  state: StoredDeployment,
  pending: readonly StoredOperation[],
): StoredDeployment {
  const { pending_operations: _before, ...rest } = state
  return pending.length === 0 ? rest : { ...state, pending_operations: pending }
}
