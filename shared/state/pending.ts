import { error } from '../errors/error.ts'
import { parseReference, referenceOf } from '../names/provider-reference.ts'
import type { Urn } from '../names/urn.ts'
import { rebuildDependencies } from './rebuild-dependencies.ts'
import { sortTopologically } from './topological-sort.ts'
import type { StoredDeployment, StoredOperation, StoredResource } from './stored.ts'

/** The pending operations of a state, in order. */
export function pendingOf(state: StoredDeployment): readonly StoredOperation[] {
  return state.pending_operations ?? []
}

/**
 * The state without the pending operations of a URN, for a person who found that nothing came of
 * them. Throws PENDING_NOT_FOUND.
 */
export function clearPending(state: StoredDeployment, urn: string): StoredDeployment {
  requirePending(state, urn)
  return withPending(
    state,
    pendingOf(state).filter(({ resource }) => resource.urn !== urn),
  )
}

/** The state without its pending creates, whatever became of them. */
export function clearPendingCreates(state: StoredDeployment): StoredDeployment {
  return withPending(
    state,
    pendingOf(state).filter(({ type }) => type !== 'creating'),
  )
}

/**
 * The state with the resource of a pending create under the id that a person found. Its outputs are
 * unknown: it is marked to be read before anything else is done with it, which is what the next
 * deployment begins with. Another create that is pending of the URN stays so: it made another
 * object, if any. Throws PENDING_NOT_FOUND, also when what is pending is no create, CLI_USAGE when
 * the state has a resource of that URN or one of its type with that id, PROVIDER_REFERENCE when its
 * provider is gone.
 */
export function importPending(state: StoredDeployment, urn: string, id: string): StoredDeployment {
  requirePending(state, urn)
  const create = pendingOf(state).find(
    ({ resource, type }) => resource.urn === urn && type === 'creating',
  )
  if (create === undefined)
    throw error('PENDING_NOT_FOUND', `what is pending of ${urn} is no create`)
  const rest = withoutReplaced(state, urn)
  const { resources = [] } = rest
  if (resources.some(resource => resource.urn === urn && resource['delete'] !== true))
    throw error('CLI_USAGE', `the state has a resource ${urn}`)
  const other = resources.find(
    resource =>
      resource['id'] === id &&
      resource.type === create.resource.type &&
      resource['provider'] === create.resource['provider'],
  )
  if (other !== undefined)
    throw error('CLI_USAGE', `'${id}' is the id of ${other.urn} in this state`, {
      hint: 'Two resources that name one object would change and delete it in turn. Find the id of the object that the interrupted create made.',
    })
  if (!hasProvider(resources, create.resource))
    throw error('PROVIDER_REFERENCE', `the provider of ${urn} is not in the state any more`, {
      hint: 'Delete the object by hand, then say so: antichain state pending clear <urn>',
    })
  const made: StoredResource = { ...create.resource, id, refreshBeforeUpdate: true }
  const left = pendingOf(state).filter(operation => operation !== create)
  return withPending(withResource(rest, made), left)
}

/**
 * The state without what of a URN was deleted for its replacement: the object of that is gone, and
 * the replacement, which may have the same id, takes its place.
 */
export function withoutReplaced(state: StoredDeployment, urn: string): StoredDeployment {
  const { resources = [] } = state
  const left = resources.filter(resource => resource.urn !== urn || !isReplaced(resource))
  return left.length === resources.length ? state : { ...state, resources: left }
}

/** Whether the object of a resource was deleted, and what is to replace it is not there yet. */
export function isReplaced(resource: StoredResource): boolean {
  return resource['pendingReplacement'] === true
}

/** Whether the provider of a resource is among these: no state may hold one without it. */
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

/** The state with one more resource; of its dependencies, those that are there. */
export function withResource(state: StoredDeployment, made: StoredResource): StoredDeployment {
  const { resources = [] } = state
  const cut = rebuildDependencies([...resources, made]).at(-1) ?? made
  return { ...state, resources: sortTopologically([...resources, cut]).resources }
}

/** The state as Pulumi writes it: pending operations do not say whose they are. */
export function withoutOrigins(state: StoredDeployment): StoredDeployment {
  const plain = pendingOf(state).map(({ resource, type }) => ({ resource, type }))
  return withPending(state, plain)
}

function requirePending(state: StoredDeployment, urn: string): void {
  if (!pendingOf(state).some(({ resource }) => resource.urn === urn))
    throw error('PENDING_NOT_FOUND', `no operation of ${urn} is pending`)
}

/** Fields keep their places: an export is compared byte by byte. */
export function withPending(
  state: StoredDeployment,
  pending: readonly StoredOperation[],
): StoredDeployment {
  const { pending_operations: _before, ...rest } = state
  return pending.length === 0 ? rest : { ...state, pending_operations: pending }
}
