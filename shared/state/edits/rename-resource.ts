import { createError } from '../../errors/error.ts'
import {
  isProviderType,
  parseProviderReference,
  providerReferenceOf,
} from '../../names/provider-reference.ts'
import { parseUrn, urnPartsOf, urnOf, type Urn } from '../../names/urn.ts'
import { withFields } from '../field-order.ts'
import { readTextField } from '../stored-fields.ts'
import type { StoredDeployment, StoredResource } from '../stored.ts'
import { positionOf } from './find-resource.ts'
import { withReferences } from './references.ts'

/**
 * Renames a resource in the state. Only the name part of its URN changes, so the URNs of its
 * children stay. References to the resource are updated, including provider references. No alias is
 * recorded, so the program must use the new name. If the name is already the current one, the state
 * stays unchanged. Throws CLI_USAGE, STATE_RESOURCE_UNKNOWN, STATE_URN_AMBIGUOUS,
 * STATE_RESOURCE_EXISTS. Source: docs/spec/state-integrity.md#state-edits.
 */
export function renameResourceInState(
  state: StoredDeployment,
  urn: string,
  name: string,
): StoredDeployment {
  const { resources = [] } = state
  const position = positionOf(resources, urn)
  if (name === '') throw createError('CLI_USAGE', 'the new name is empty')
  const newUrn = urnOf({ ...urnPartsOf(parseUrn(urn)), name })
  if (newUrn === urn) return state
  if (resources.some(resource => resource.urn === newUrn))
    throw createError('STATE_RESOURCE_EXISTS', `the state already has a resource '${newUrn}'`, {
      details: { urn: newUrn },
    })
  const renamedResource = resources[position]
  const provider =
    renamedResource !== undefined && isProviderType(renamedResource.type)
      ? renamedResource
      : undefined
  return {
    ...state,
    resources: resources.map((resource, index) =>
      index === position
        ? withFields(resource, { urn: newUrn })
        : redirectProvider(redirectReferences(resource, urn, newUrn), { urn, newUrn, provider }),
    ),
  }
}

function redirectReferences(resource: StoredResource, oldUrn: string, newUrn: Urn): StoredResource {
  return withReferences(resource, ({ urn }) => (urn === oldUrn ? newUrn : urn), 'drop')
}

/**
 * Updates a reference to the renamed provider. The reference gets the id of the provider in the
 * state.
 */
function redirectProvider(
  resource: StoredResource,
  change: {
    readonly urn: string
    readonly newUrn: Urn
    readonly provider: StoredResource | undefined
  },
): StoredResource {
  const reference = readTextField(resource, 'provider')
  if (change.provider === undefined || reference === '') return resource
  if (parseProviderReference(reference).urn !== change.urn) return resource
  const id = readTextField(change.provider, 'id')
  return withFields(resource, { provider: providerReferenceOf(change.newUrn, id) })
}
