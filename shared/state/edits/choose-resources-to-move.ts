import { createError } from '../../errors/error.ts'
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
 * Returns the URNs that a move includes: the requested URNs, their ancestors with `includeParents`,
 * and the descendants of all of these. A request for the root resource of the stack includes the
 * descendants of the root. Neither the root nor a provider is moved. `unknownUrns`: requested URNs
 * that do not exist. Throws CLI_USAGE for a requested provider. Source:
 * docs/spec/state-integrity.md#state-edits.
 */
export function chooseResourcesToMove(
  resources: readonly StoredResource[],
  { urns, includeParents }: MoveRequest,
): { readonly movedUrns: ReadonlySet<string>; readonly unknownUrns: readonly string[] } {
  const requestedUrns = new Set(urns)
  const namedResources = resources.filter(({ urn }) => requestedUrns.has(urn))
  const provider = namedResources.find(({ type }) => isProviderType(type))
  if (provider !== undefined)
    throw createError('CLI_USAGE', `cannot move the provider '${provider.urn}'`, {
      hint: 'Name the resources only: their providers are copied automatically.',
    })
  const knownUrns = new Set(namedResources.map(({ urn }) => urn))
  const movedUrns = new Set(knownUrns)
  if (includeParents)
    for (const resource of namedResources) addAncestors(resources, resource, movedUrns)
  addDescendants(resources, movedUrns)
  for (const resource of resources) if (isRootResource(resource)) movedUrns.delete(resource.urn)
  return { movedUrns, unknownUrns: [...requestedUrns].filter(urn => !knownUrns.has(urn)) }
}

/** Reports whether a resource is the root of its stack. */
export function isRootResource(resource: StoredResource): boolean {
  return resource.type === stackType && readTextField(resource, 'parent') === ''
}

function addAncestors(
  resources: readonly StoredResource[],
  resource: StoredResource,
  movedUrns: Set<string>,
): void {
  let parent = readTextField(resource, 'parent')
  for (const ancestor of resources.toReversed()) {
    if (ancestor.urn !== parent) continue
    if (!isRootResource(ancestor) && !isProviderType(ancestor.type)) movedUrns.add(ancestor.urn)
    parent = readTextField(ancestor, 'parent')
  }
}

/** Adds all descendants in one pass, because parents come before their children. */
function addDescendants(resources: readonly StoredResource[], movedUrns: Set<string>): void {
  const parentUrns = new Set(movedUrns)
  for (const resource of resources) {
    if (!parentUrns.has(readTextField(resource, 'parent'))) continue
    parentUrns.add(resource.urn)
    if (!isProviderType(resource.type)) movedUrns.add(resource.urn)
  }
}
