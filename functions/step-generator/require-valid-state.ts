import { createError } from '../../shared/errors/error.ts'
import { isProviderType } from '../../shared/names/provider-reference.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import { readTextField } from '../../shared/state/stored-fields.ts'
import type { StoredDeployment, StoredResource } from '../../shared/state/stored.ts'

/**
 * Throws STATE_INTEGRITY for a state with an integrity error, so that no decision starts from it
 * (I7). Such a state was published in spite of its error, or a user forced its import. Also throws
 * STATE_INTEGRITY for a resource without a provider, because no plugin could delete or refresh it.
 */
export function requireValidState(stored: StoredDeployment): void {
  const fault = verifyIntegrity(stored)
  if (fault !== undefined)
    throw createError('STATE_INTEGRITY', `snapshot integrity failure; refusing to use it: ${fault}`)
  const orphan = stored.resources?.find(hasNoProvider)
  if (orphan === undefined) return
  throw createError(
    'STATE_INTEGRITY',
    `the resource '${orphan.urn}' has no provider in the state`,
    {
      hint: 'Run `pulumi up` once on the backend, set the field `provider` with `antichain state edit`, or remove the resource with `antichain state delete`.',
    },
  )
}

/** Reports whether a resource needs a provider and has none. Early versions of Pulumi had none. */
function hasNoProvider(resource: StoredResource): boolean {
  const { custom, type } = resource
  return (
    custom === true &&
    readTextField(resource, 'provider') === '' &&
    readTextField(resource, 'viewOf') === '' &&
    !isProviderType(type)
  )
}
