/**
 * generator: decides the steps of each registration of a program. Imports providers, ports and
 * below, and the engine's executor, deployment, graph, steps and events.
 *
 * Invariants: decisions are made one at a time (I5), from `DecisionInput` alone. Clock, random
 * values and everything outside are behind `DecisionPorts`. `reduceSets` alone changes the sets. A
 * stage that only decides returns its result as data, and `finishStage` applies the result. A stage
 * with ports may also apply changes itself, with `ctx.apply`. A reply to the program is read from
 * the stored form of a durable end. No decision follows an abort.
 */
import { applyPolicies } from './policies/apply-policies.ts'
import { checkStepsAgainstPlan } from './checks/check-update-plan.ts'
import { skipIfDependencyFailed } from './checks/failed-dependencies.ts'
import { requireKnownDependencies } from './checks/require-known-dependencies.ts'
import { decideSteps } from './changes/decide-steps.ts'
import type { GeneratorContext } from './context.ts'
import { keepUntilDestroyed } from './deletion/keep-until-destroyed.ts'
import { finishStage } from './finish-stage.ts'
import { adoptExisting } from './import/adopt-existing.ts'
import { keepAsRead } from './refresh/keep-as-read.ts'
import { refreshRegistration } from './refresh/refresh-registration.ts'
import { deleteFirstIfNameFixed } from './registration/propose-resource-name.ts'
import { checkInputs } from './registration/check-inputs.ts'
import { claimUrn, draftStateOf } from './registration/claim-urn.ts'
import type { Goal } from './registration/goal.ts'
import { replayRecorded } from './replay/replay-registration.ts'
import type { CurrentState } from './sets.ts'
import type { StageResult } from './stage.ts'
import { runSteps } from './steps/run-steps.ts'
import { keepUntargeted } from './targets/keep-untargeted.ts'
import { pullDependenciesForward } from './targets/pull-forward.ts'
import { requireCreatedDependencies } from './targets/require-created-dependencies.ts'
import { isTargetedRegistration } from './targets/scope.ts'

/**
 * Decides and runs one registration, stage by stage. The first stage that does not return `decided`
 * ends it. Source: docs/spec/step-generation.md#pipeline.
 */
export async function generate(
  ctx: GeneratorContext,
  registration: Goal,
): Promise<StageResult<CurrentState>> {
  const { input, ports } = ctx
  const goal = deleteFirstIfNameFixed(input, registration)

  // `claimUrn` runs before the first await, so that two registrations never get the same URN.
  const claimed = finishStage(ctx, claimUrn(input, goal))
  if (claimed.kind !== 'decided') return claimed
  ctx.apply({ goals: [[claimed.value.urn, goal]] })

  const dependencyCheck = finishStage(ctx, requireKnownDependencies(input, claimed.value.urn, goal))
  if (dependencyCheck.kind !== 'decided') return dependencyCheck

  const refreshed = finishStage(ctx, await refreshRegistration(ctx, goal, claimed.value))
  if (refreshed.kind !== 'decided') return refreshed
  const claim = refreshed.value
  const draft = draftStateOf(goal, claim)

  const asRead = finishStage(ctx, keepAsRead(input, claim, draft))
  if (asRead.kind !== 'decided') return asRead

  const isTargeted = isTargetedRegistration(input, draft)
  const pulled = finishStage(ctx, pullDependenciesForward(ctx, draft, isTargeted))
  if (pulled.kind !== 'decided') return pulled

  const digest = ports.replay === undefined ? '' : ports.goalDigestOf(goal)
  const replayed = finishStage(ctx, await replayRecorded(ctx, claim, digest))
  if (replayed.kind !== 'decided') return replayed

  const kept = finishStage(ctx, await keepUntilDestroyed(ctx, { goal, claim, draft }))
  if (kept.kind !== 'decided') return kept

  const untargeted = finishStage(ctx, await keepUntargeted(ctx, { goal, claim, draft, isTargeted }))
  if (untargeted.kind !== 'decided') return untargeted

  // An untargeted resource reaches this stage only to be created again. Such a resource imports
  // nothing.
  const adopted = isTargeted ? finishStage(ctx, await adoptExisting(ctx, goal, claim)) : refreshed
  if (adopted.kind !== 'decided') return adopted

  const uncheckedRegistration = {
    goal,
    claim: adopted.value,
    draft: draftStateOf(goal, adopted.value),
  }
  const checked = finishStage(ctx, await checkInputs(ctx, { ...uncheckedRegistration, isTargeted }))
  if (checked.kind !== 'decided') return checked

  const allowed = finishStage(ctx, await applyPolicies(ctx, checked.value))
  if (allowed.kind !== 'decided') return allowed

  const steps = finishStage(ctx, await decideSteps(ctx, allowed.value))
  if (steps.kind !== 'decided') return steps

  const planned = finishStage(ctx, checkStepsAgainstPlan(ctx, steps.value))
  if (planned.kind !== 'decided') return planned

  const required = finishStage(ctx, requireCreatedDependencies(input, steps.value))
  if (required.kind !== 'decided') return required

  // This check is the last one, so that the update plan also counts the steps of a skipped
  // registration.
  const admitted = finishStage(ctx, skipIfDependencyFailed(input, steps.value))
  if (admitted.kind !== 'decided') return admitted

  return finishStage(ctx, await runSteps(ctx, allowed.value, steps.value))
}
