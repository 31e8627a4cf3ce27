import { assert } from '../../../errors/error.ts'
import type { CreateResult, Provider } from '../../provider.ts'
import { planUnknown } from '../plan/proposed-new.ts'
import type { CtyValue } from '../values/cty-value.ts'
import { applyChange } from './apply-change.ts'
import { createPartialFailure } from './partial-failure.ts'
import { idOfObject } from './resource-id.ts'
import { sensitivePathsOf, toPlannedOutputs, toRecordedOutputs } from './object-outputs.ts'
import { planChange } from './plan-change.ts'
import { createRefusal } from './provider-failure.ts'
import { requireConsistentPlan } from './require-consistent-plan.ts'
import { requireObjectConfig } from './resource-config.ts'
import type { TerraformSession } from './terraform-session.ts'

/**
 * Plans a new object and, outside of a preview, creates it. An object that exists after an error is
 * tainted. Throws ProviderError.
 */
export async function createObject(
  session: TerraformSession,
  { urn, type: token, inputs, preview }: Parameters<Provider['create']>[0],
): Promise<CreateResult> {
  await session.waitUntilConfigured()
  const resource = session.pkg.requireResource(token)
  const config = requireObjectConfig(resource, urn, inputs)
  const toPreview = (planned: CtyValue): CreateResult => ({
    id: '',
    outputs: toPlannedOutputs(resource, planned, config.sensitivePaths),
    refreshBeforeUpdate: false,
  })
  if (session.isUnconfigured()) {
    assert(preview, `the provider of '${urn}' is not configured`)
    return toPreview(planUnknown(resource.block, config.value))
  }
  const plan = await planChange(session, resource, { urn, prior: undefined, config: config.value })
  if (preview) {
    session.initialPlans.record(urn, { ...plan, config: config.value })
    return toPreview(plan.planned)
  }
  const sensitivePaths = sensitivePathsOf(resource, plan.planned, config.sensitivePaths)
  const change = { ...plan, urn, config: config.value, sensitivePaths }
  requireConsistentPlan(session, resource, { ...change, requested: 'create' })
  const applied = await applyChange(session, resource, change)
  const hasFailed = applied.problems.length > 0
  if (hasFailed && applied.value.kind === 'null') throw createRefusal(applied.problems.join('; '))
  const object = {
    ...applied,
    isTainted: hasFailed,
    sensitivePaths: sensitivePathsOf(resource, applied.value, config.sensitivePaths),
  }
  const id = idOfObject(resource.names.idSource, applied.value)
  const outputs = toRecordedOutputs(resource, object)
  if (hasFailed) throw createPartialFailure(applied.problems, { id, outputs })
  return { id, outputs, refreshBeforeUpdate: false }
}
