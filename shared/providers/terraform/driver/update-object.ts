import { assert } from '../../../errors/error.ts'
import type { Provider, UpdateResult } from '../../provider.ts'
import { planUnknown } from '../plan/proposed-new.ts'
import type { CtyValue } from '../values/cty-value.ts'
import { applyChange } from './apply-change.ts'
import { warnOfChangedIdentity } from './identity-change.ts'
import { sensitivePathsOf, toPlannedOutputs, toRecordedOutputs } from './object-outputs.ts'
import { createPartialFailure } from './partial-failure.ts'
import { planChange } from './plan-change.ts'
import { readObjectToUpdate, readPriorObject } from './prior-object.ts'
import { createRefusal } from './provider-failure.ts'
import { requireConsistentPlan } from './require-consistent-plan.ts'
import { readIgnoredChanges, requireObjectConfig } from './resource-config.ts'
import type { TerraformSession } from './terraform-session.ts'

/**
 * The error of an update of a tainted object, which only a replacement can mend. It is no
 * ProviderError, so error hooks cannot request the update again.
 */
const taintedText =
  'the object was created only partially, so it is tainted: the next deployment replaces it'

/**
 * Plans a change of an object and, outside of a preview, applies it. A plan without changes is not
 * applied. Throws ProviderError for a failed call, and for a plan that requires a replacement.
 * Throws another error for a tainted object.
 */
export async function updateObject(
  session: TerraformSession,
  request: Parameters<Provider['update']>[0],
): Promise<UpdateResult> {
  const { urn, type: token, id, newInputs, oldOutputs, preview } = request
  await session.waitUntilConfigured()
  const resource = session.pkg.requireResource(token)
  const config = requireObjectConfig(resource, urn, newInputs)
  const toPreview = (planned: CtyValue): UpdateResult => ({
    outputs: toPlannedOutputs(resource, planned, config.sensitivePaths),
    refreshBeforeUpdate: false,
  })
  if (session.isUnconfigured()) {
    assert(preview, `the provider of '${urn}' is not configured`)
    return toPreview(planUnknown(resource.block, config.value))
  }
  const readPrior = preview ? readPriorObject : readObjectToUpdate
  const prior = await readPrior(session, resource, { urn, outputs: oldOutputs })
  if (prior.isTainted && !preview) throw new Error(taintedText)
  const plan = await planChange(session, resource, {
    urn,
    prior,
    config: config.value,
    ...readIgnoredChanges(resource, request.ignoreChanges, [prior.value, config.value]),
  })
  if (preview) {
    session.initialPlans.record(urn, { ...plan, config: config.value })
    return toPreview(plan.planned)
  }
  const change = {
    ...plan,
    urn,
    config: config.value,
    sensitivePaths: sensitivePathsOf(resource, plan.planned, config.sensitivePaths),
  }
  requireConsistentPlan(session, resource, { ...change, requested: 'update' })
  if (plan.action === 'none') {
    const sensitivePaths = sensitivePathsOf(resource, prior.value, config.sensitivePaths)
    const outputs = toRecordedOutputs(resource, { ...prior, sensitivePaths })
    return { outputs, refreshBeforeUpdate: false }
  }
  const applied = await applyChange(session, resource, change)
  warnOfChangedIdentity(session, urn, [prior.identity, applied.identity])
  const hasFailed = applied.problems.length > 0
  const isObjectMissing = hasFailed && applied.value.kind === 'null'
  // Terraform's core also saves an upgraded or moved object whose update fails.
  if (isObjectMissing && !prior.isOutdated) throw createRefusal(applied.problems.join('; '))
  const current = isObjectMissing ? prior : applied
  const outputs = toRecordedOutputs(resource, {
    ...current,
    isTainted: prior.isTainted,
    sensitivePaths: sensitivePathsOf(resource, current.value, config.sensitivePaths),
  })
  if (hasFailed) throw createPartialFailure(applied.problems, { id, outputs })
  return { outputs, refreshBeforeUpdate: false }
}
