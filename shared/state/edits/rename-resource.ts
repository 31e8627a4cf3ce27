import { error } from '../../errors/error.ts'
import { isProviderType, parseReference, referenceOf } from '../../names/provider-reference.ts'
import { parseUrn, urnPartsOf, urnOf, type Urn } from '../../names/urn.ts'
import { withFields } from '../field-order.ts'
import { readTextField } from '../stored-fields.ts'
import type { StoredDeployment, StoredResource } from '../stored.ts'
import { positionOf } from './find-resource.ts'
import { withReferences } from './references.ts'

/**
 * Renames a resource in the state. Only the name part of its URN changes, so the URNs of its
 * children stay. References to it are updated, including provider references. No alias is recorded:
 * the program must use the new name. The same name changes nothing. Throws CLI_USAGE,
 * STATE_RESOURCE_UNKNOWN, STATE_URN_AMBIGUOUS, STATE_RESOURCE_EXISTS. Source:
 * docs/spec/state-integrity.md#state-edits.
 */
export function renameResourceInState(
  state: StoredDeployment,
  urn: string,
  name: string,
): StoredDeployment {
  const { resources = [] } = state
  const at = positionOf(resources, urn)
  if (name === '') throw error('CLI_USAGE', 'the new name is empty')
  const now = urnOf({ ...urnPartsOf(parseUrn(urn)), name })
  if (now === urn) return state
  if (resources.some(resource => resource.urn === now))
    throw error('STATE_RESOURCE_EXISTS', `the state already has a resource '${now}'`, {
      details: { urn: now },
    })
  const renamed = resources[at]
  const provider = renamed !== undefined && isProviderType(renamed.type) ? renamed : undefined
  return {
    ...state,
    resources: resources.map((resource, place) =>
      place === at
        ? withFields(resource, { urn: now })
        : redirectProvider(redirectReferences(resource, urn, now), { urn, now, provider }),
    ),
  }
}

function redirectReferences(resource: StoredResource, before: string, now: Urn): StoredResource {
  return withReferences(resource, ({ urn }) => (urn === before ? now : urn), 'drop')
}

/** Updates a reference to the renamed provider. Its id becomes the one in the state. */
function redirectProvider(
  resource: StoredResource,
  rename: {
    readonly urn: string
    readonly now: Urn
    readonly provider: StoredResource | undefined
  },
): StoredResource {
  const reference = readTextField(resource, 'provider')
  if (rename.provider === undefined || reference === '') return resource
  if (parseReference(reference).urn !== rename.urn) return resource
  const id = readTextField(rename.provider, 'id')
  return withFields(resource, { provider: referenceOf(rename.now, id) })
}
