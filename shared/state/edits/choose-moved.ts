import { error } from '../../errors/error.ts'
import { isProviderType } from '../../names/provider-reference.ts'
import { stackType } from '../../names/urn.ts'
import { readTextField } from '../stored-fields.ts'
import type { StoredResource } from '../stored.ts'

/** The user's selection of resources to move. */
export interface MoveRequest {
  readonly urns: readonly string[]
  readonly includeParents: boolean
}

/**
 * Returns the URNs that a move includes: the named ones, their parents if requested, and the
 * children of all of these. The stack's root resource selects its children. Neither the root nor a
 * provider is moved. `unknown`: named URNs that do not exist. Throws CLI_USAGE for a provider.
 * Source: docs/spec/state-integrity.md#state-edits.
 */
export function chooseResourcesToMove(
  resources: readonly StoredResource[],
  { urns, includeParents }: MoveRequest,
): { readonly moved: ReadonlySet<string>; readonly unknown: readonly string[] } {
  const requested = new Set(urns)
  const named = resources.filter(({ urn }) => requested.has(urn))
  const provider = named.find(({ type }) => isProviderType(type))
  if (provider !== undefined)
    throw error('CLI_USAGE', `cannot move the provider '${provider.urn}'`, {
      hint: 'Name the resources only: their providers are copied automatically.',
    })
  const known = new Set(named.map(({ urn }) => urn))
  const moved = new Set(known)
  if (includeParents) for (const resource of named) addParents(resources, resource, moved)
  addChildren(resources, moved)
  for (const resource of resources) if (isRoot(resource)) moved.delete(resource.urn)
  return { moved, unknown: [...requested].filter(urn => !known.has(urn)) }
}

/** Reports whether a resource is the root of its stack. */
export function isRoot(resource: StoredResource): boolean {
  return resource.type === stackType && readTextField(resource, 'parent') === ''
}

function addParents(
  resources: readonly StoredResource[],
  resource: StoredResource,
  moved: Set<string>,
): void {
  let parent = readTextField(resource, 'parent')
  for (const above of resources.toReversed()) {
    if (above.urn !== parent) continue
    if (!isRoot(above) && !isProviderType(above.type)) moved.add(above.urn)
    parent = readTextField(above, 'parent')
  }
}

/** Adds all children in one pass, because parents come before their children. */
function addChildren(resources: readonly StoredResource[], moved: Set<string>): void {
  const below = new Set(moved)
  for (const resource of resources) {
    if (!below.has(readTextField(resource, 'parent'))) continue
    below.add(resource.urn)
    if (!isProviderType(resource.type)) moved.add(resource.urn)
  }
}
