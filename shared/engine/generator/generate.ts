/**
 * generator: decides the steps of each registration of a program. Imports the layer `providers`,
 * the layers below it (docs/architecture.md), and the files directly in `shared/engine`. From the
 * other folders of the engine, it imports update-plan, events, graph, deployment, executor and
 * forecast.
 *
 * Invariants:
 * - A decision depends only on `DecisionInput` and on results of `DecisionPorts`. The ports are the
 *   only access to the clock, random values, providers and stores.
 * - `reduceSets` alone changes the sets. A stage returns its changes as data, and `finishStage`
 *   applies them. A stage may apply changes itself, with `ctx.apply`, if other registrations must
 *   see them before its result. Source:
 *   docs/decisions/0075-a-stage-may-apply-changes-before-its-result.md.
 * - In a deployment, the program gets the reply to a registration only after the ends of the
 *   registration's steps are durable.
 * - After an abort, the generator makes no decision.
 */
import { applyPolicies } from './policies/apply-policies.ts'
import { checkStepsAgainstUpdatePlan } from './checks/check-update-plan.ts'
import { failIfDependencyFailed } from './checks/failed-dependencies.ts'
import { refuseMissingDependencies } from './checks/refuse-missing-dependencies.ts'
import { decideSteps } from './changes/decide-steps.ts'
import type { GeneratorContext } from './context.ts'
import { keepUntilDestroyed } from './deletion/keep-until-destroyed.ts'
import { finishStage } from './finish-stage.ts'
import { adoptExisting } from './import/adopt-existing.ts'
import { keepAsRead } from './refresh/keep-as-read.ts'
import { refreshRegistration } from './refresh/refresh-registration.ts'
import { setDeleteFirstForFixedName } from './registration/apply-autonaming.ts'
import { checkInputs } from './registration/check-inputs.ts'
import { draftStateOf, registerGoal } from './registration/assign-urn.ts'
import type { Goal } from './registration/goal.ts'
import { replayRecorded } from './replay/replay-registration.ts'
import type { CurrentState } from './sets.ts'
import type { Step } from '../step.ts'
import type { StageResult } from './stage.ts'
import { runSteps } from './steps/run-steps.ts'
import { keepUntargeted } from './targets/keep-untargeted.ts'
import { keepUnregisteredDependencies } from './targets/keep-unregistered-dependencies.ts'
import { requireCreatedDependencies } from './targets/require-created-dependencies.ts'
import { isTargetedRegistration } from './targets/scope.ts'

/**
 * Decides and runs one registration, stage by stage. The first stage that does not return `decided`
 * ends the registration. Source: docs/spec/step-generation.md#pipeline.
 */
export async function generate(
  ctx: GeneratorContext,
  registration: Goal,
): Promise<StageResult<CurrentState>> {
  const { input, ports } = ctx
  const goal = setDeleteFirstForFixedName(input, registration)

  // No await precedes `registerGoal`, so that two registrations never get the same URN.
  const urnResult = finishStage(ctx, registerGoal(input, goal))
  if (urnResult.kind !== 'decided') return urnResult
  const { urn } = urnResult.value

  const dependencyCheck = finishStage(ctx, refuseMissingDependencies(input, urn, goal))
  if (dependencyCheck.kind !== 'decided') return dependencyCheck

  const refreshResult = finishStage(ctx, await refreshRegistration(ctx, goal, urnResult.value))
  if (refreshResult.kind !== 'decided') return refreshResult
  const assignment = refreshResult.value
  const draft = draftStateOf(goal, assignment)

  const keepAsReadResult = finishStage(ctx, keepAsRead(input, assignment, draft))
  if (keepAsReadResult.kind !== 'decided') return keepAsReadResult

  const isTargeted = isTargetedRegistration(input, draft)
  const keepDependenciesResult = finishStage(
    ctx,
    keepUnregisteredDependencies(ctx, draft, isTargeted),
  )
  if (keepDependenciesResult.kind !== 'decided') return keepDependenciesResult

  const goalDigest = ports.replay === undefined ? '' : ports.goalDigestOf(goal)
  const replayResult = finishStage(ctx, await replayRecorded(ctx, assignment, goalDigest))
  if (replayResult.kind !== 'decided') return replayResult

  const keepUntilDestroyedResult = finishStage(
    ctx,
    await keepUntilDestroyed(ctx, { goal, assignment, draft }),
  )
  if (keepUntilDestroyedResult.kind !== 'decided') return keepUntilDestroyedResult

  const keepUntargetedResult = finishStage(
    ctx,
    await keepUntargeted(ctx, { goal, assignment, draft, isTargeted }),
  )
  if (keepUntargetedResult.kind !== 'decided') return keepUntargetedResult

  // An untargeted resource gets here only if it must be created again. It imports nothing.
  const adoptionResult = isTargeted
    ? finishStage(ctx, await adoptExisting(ctx, goal, assignment))
    : refreshResult
  if (adoptionResult.kind !== 'decided') return adoptionResult

  const finalAssignment = adoptionResult.value
  const finalDraft = draftStateOf(goal, finalAssignment)
  const uncheckedRegistration = { goal, assignment: finalAssignment, draft: finalDraft, isTargeted }
  const checkResult = finishStage(ctx, await checkInputs(ctx, uncheckedRegistration))
  if (checkResult.kind !== 'decided') return checkResult

  const policyResult = finishStage(ctx, await applyPolicies(ctx, checkResult.value))
  if (policyResult.kind !== 'decided') return policyResult

  const stepsResult = finishStage(ctx, await decideSteps(ctx, policyResult.value))
  if (stepsResult.kind !== 'decided') return stepsResult

  const stepsCheck = checkSteps(ctx, stepsResult.value)
  if (stepsCheck.kind !== 'decided') return stepsCheck

  return finishStage(ctx, await runSteps(ctx, policyResult.value, stepsResult.value))
}

/** Checks the steps of a registration before they run. */
function checkSteps(ctx: GeneratorContext, steps: readonly Step[]): StageResult<void> {
  const planCheck = finishStage(ctx, checkStepsAgainstUpdatePlan(ctx, steps))
  if (planCheck.kind !== 'decided') return planCheck

  const dependencyCheck = finishStage(ctx, requireCreatedDependencies(ctx.input, steps))
  if (dependencyCheck.kind !== 'decided') return dependencyCheck

  // This check is the last one, so that the update plan also counts the steps of a registration
  // that fails here.
  return finishStage(ctx, failIfDependencyFailed(ctx.input, steps))
}
