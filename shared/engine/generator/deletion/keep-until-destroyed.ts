import { isProviderType } from '../../../names/provider-reference.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { stepOf } from '../../step.ts'
import type { GeneratorContext } from '../context.ts'
import { componentDriver } from '../providers/resource-driver.ts'
import type { UrnAssignment } from '../registration/assign-urn.ts'
import type { Goal } from '../registration/goal.ts'
import { toDecided, type StageResult } from '../stage.ts'
import { runSteps } from '../steps/run-steps.ts'
import { skipCreate } from '../targets/skip-create.ts'
import { requiredUrnsOf } from '../../graph/dependencies.ts'

/**
 * Answers a registration in a destroy that runs its program. An existing resource keeps its inputs
 * and outputs until its delete, but gets the provider and the options of the goal. New resources
 * are not created. Components and providers continue with the next stage, unless they need a
 * resource that is not created. Source: docs/spec/step-generation.md#after-the-refresh.
 */
export async function keepUntilDestroyed(
  ctx: GeneratorContext,
  registration: {
    readonly goal: Goal
    readonly assignment: UrnAssignment
    readonly draft: ResourceState
  },
): Promise<StageResult<void>> {
  const { input } = ctx
  const { goal, assignment, draft } = registration
  const { old, urn } = assignment
  if (!input.isProgramDestroy) return toDecided(undefined)
  const next = old === undefined ? draft : { ...draft, outputs: old.state.outputs }
  if (requiredUrnsOf(draft).some(requiredUrn => input.sets.uncreatedUrns.has(requiredUrn)))
    return skipCreate(next)
  if (!goal.custom || isProviderType(goal.type)) return toDecided(undefined)
  if (old === undefined) return skipCreate(next)
  ctx.apply({ handledUrns: [urn] })
  const { inputs, outputs, id, initErrors, pendingReplacement } = old.state
  const keptState = { ...draft, inputs, outputs, id, initErrors, pendingReplacement }
  const step = stepOf({ op: 'same', effect: 'replace', old, next: keptState })
  // The resource is not checked, so these fields take the place of the results of a check.
  const fieldsWithoutCheck = {
    driver: componentDriver,
    comparedInputs: inputs,
    seed: new Uint8Array(),
  }
  const settleResult = await runSteps(
    ctx,
    { goal, assignment, next: keptState, ...fieldsWithoutCheck },
    [step],
  )
  return settleResult.kind === 'failed'
    ? settleResult
    : { kind: 'kept', current: settleResult.value }
}
