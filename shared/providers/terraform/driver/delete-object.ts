import { assert } from '../../../errors/error.ts'
import type { Provider } from '../../provider.ts'
import { nullOf } from '../values/cty-value.ts'
import { applyChange } from './apply-change.ts'
import { toRecordedOutputs } from './object-outputs.ts'
import { createPartialFailure } from './partial-failure.ts'
import { planDeletion } from './plan-change.ts'
import { readPriorObject } from './prior-object.ts'
import { createRefusal } from './provider-failure.ts'
import type { TerraformSession } from './terraform-session.ts'

/**
 * Deletes an object: upgrades its state, plans the deletion and applies it. Throws ProviderError,
 * with the remaining object if one still exists.
 */
export async function deleteObject(
  session: TerraformSession,
  { urn, type: token, id, outputs, isFirstOfReplacement }: Parameters<Provider['delete']>[0],
): Promise<void> {
  await session.waitUntilConfigured()
  assert(!session.isUnconfigured(), `the provider of '${urn}' is not configured`)
  const resource = session.pkg.requireResource(token)
  const prior = await readPriorObject(session, resource, { urn, outputs })
  const plan = await planDeletion(session, resource, { urn, prior })
  const absent = nullOf(resource.type)
  const applied = await applyChange(session, resource, {
    ...plan,
    // In a replacement that begins with the delete, Terraform's core makes no plan of the delete
    // alone, so the request has no planned identity.
    ...(isFirstOfReplacement === true ? { plannedIdentity: undefined } : {}),
    urn,
    prior: prior.value,
    planned: absent,
    config: absent,
    sensitivePaths: prior.sensitivePaths,
  })
  if (applied.problems.length === 0) return
  // As in Terraform's core, the recorded object stays if the delete has problems and returns no
  // object. The only problem may be an invalid identity, although the object is gone. Then the next
  // refresh removes the object from the state.
  if (applied.value.kind === 'null') throw createRefusal(applied.problems.join('; '))
  const remaining = { ...prior, ...applied }
  throw createPartialFailure(applied.problems, {
    id,
    outputs: toRecordedOutputs(resource, remaining),
  })
}
