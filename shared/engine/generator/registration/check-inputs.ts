import { hasCode, messageOf } from '../../../errors/error.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { createRedactor, collectSecretTexts } from '../../../values/redact-secrets.ts'
import { checkGoalAgainstUpdatePlan, chooseSeed } from '../checks/check-update-plan.ts'
import { failCheck } from '../checks/fail-check.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { emitDiagnostics, finishStage } from '../finish-stage.ts'
import { createDriver } from '../providers/resource-driver.ts'
import { toDecided, failDeployment, type Result, stoppedResult } from '../stage.ts'
import { isReplacedWithoutDiff } from '../targets/scope.ts'
import type { CheckedRegistration } from './checked-registration.ts'
import type { UrnAssignment } from './assign-urn.ts'
import type { Goal } from './goal.ts'
import { resetIgnoredChanges } from './ignore-changes.ts'

/**
 * Time in which other registrations may report their missing plugins before the deployment ends, in
 * ms.
 */
const missingPluginWindowMs = 400

/** A registration before Check. */
interface UncheckedRegistration {
  readonly goal: Goal
  readonly assignment: UrnAssignment
  readonly draft: ResourceState
  readonly isTargeted: boolean
}

/**
 * Loads the provider and runs its Check. An untargeted resource keeps its old inputs without a
 * check. Source: docs/spec/step-generation.md#check-and-policies.
 */
export async function checkInputs(
  ctx: GeneratorContext,
  registration: UncheckedRegistration,
): Promise<Result<CheckedRegistration>> {
  const { goal, assignment, draft, isTargeted } = registration
  const { input, ports } = ctx
  const old = assignment.old?.state
  const inputs = resetIgnoredChanges(ctx, registration)
  const driverResult = await catchProviderErrors(ctx, registration, () => createDriver(ctx, draft))
  if (driverResult.kind === 'failed') return driverResult
  const driver = driverResult.value
  const seed = chooseSeed(ports, assignment.urn)
  const ignoresOldInputs = mustIgnoreOldInputs(input, assignment)
  const keepsOldInputs = driver.check !== undefined && !isTargeted && old !== undefined
  let checkResult = { next: draft, comparedInputs: inputs, ignoresOldInputs }
  if (keepsOldInputs)
    checkResult = {
      next: { ...draft, inputs: old.inputs },
      comparedInputs: old.inputs,
      ignoresOldInputs: false,
    }
  else if (driver.check !== undefined) {
    const { check } = driver
    const result = await catchProviderErrors(ctx, registration, () =>
      ignoresOldInputs ? check(undefined, goal.inputs, seed) : check(old?.inputs, inputs, seed),
    )
    if (result.kind === 'failed') return result
    const { inputs: checkedInputs, failures } = result.value
    if (failures.length > 0) return failCheck({ ...goal, urn: assignment.urn }, failures)
    checkResult = {
      next: { ...draft, inputs: checkedInputs },
      comparedInputs: checkedInputs,
      ignoresOldInputs,
    }
  }
  const { next, comparedInputs } = checkResult
  const checkedGoal = {
    goal,
    inputs: comparedInputs,
    seed,
    ignoresOldInputs: checkResult.ignoresOldInputs,
  }
  const planResult = checkGoalAgainstUpdatePlan(ctx, assignment, checkedGoal)
  if (planResult.kind === 'failed') return planResult
  return toDecided({ goal, assignment, driver, next, comparedInputs, seed })
}

/** Reports whether Check runs without the old inputs. */
function mustIgnoreOldInputs(
  { sets, scope }: Pick<DecisionInput, 'sets' | 'scope'>,
  assignment: UrnAssignment,
): boolean {
  const old = assignment.old?.state
  if (old === undefined || old.external || sets.deletedUrns.has(old.urn)) return true
  return isReplacedWithoutDiff(scope, assignment.urn, old)
}

/**
 * Runs a request to a provider. An exception becomes a failure, whose message contains no secret
 * inputs.
 */
async function catchProviderErrors<T>(
  ctx: GeneratorContext,
  { goal, assignment: { urn } }: Pick<UncheckedRegistration, 'goal' | 'assignment'>,
  request: () => Promise<Result<T>>,
): Promise<Result<T>> {
  try {
    return finishStage(ctx, await request())
  } catch (thrown) {
    if (hasCode(thrown, 'PLUGIN_MISSING')) {
      emitDiagnostics(ctx.ports, [{ message: `${thrown.message}. ${thrown.hint}`, urn }])
      // During this pause, other registrations may report their missing plugins.
      await ctx.ports.pause(missingPluginWindowMs)
      return stoppedResult
    }
    const secretTexts = collectSecretTexts(goal.inputs)
    return failDeployment(createRedactor(secretTexts)(messageOf(thrown)), urn)
  }
}
