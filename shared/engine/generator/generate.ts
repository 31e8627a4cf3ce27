import type { CheckResult } from '../../providers/provider.ts'
import type { Urn } from '../../names/urn.ts'
import type { ResourceState } from '../../state/resource.ts'
import { createRedactor, collectSecretTexts } from '../../values/redact-secrets.ts'
import { resetPaths } from '../../values/path.ts'
import { hasCode, messageOf } from '../../errors/error.ts'
import { ProviderError } from '../../providers/provider-error.ts'
import { type Step, stepOf, type TrackedState } from '../step.ts'
import { Bail, bail, type GeneratorContext, RegistrationFailed } from './context.ts'
import { type Candidate, markReplaced } from './registration/candidate.ts'
import { adoptExisting } from './import/adopt-existing.ts'
import { type UrnClaim, claimUrn, draftStateOf } from './registration/claim-urn.ts'
import { keepUntilDestroyed } from './deletion/destroy.ts'
import { computeDifference } from './changes/difference.ts'
import { createDriver } from './providers/resource-driver.ts'
import type { Goal } from './registration/goal.ts'
import { reportCheckFailures } from './checks/report-check-failures.ts'
import { deleteFirstIfNameFixed } from './registration/autonaming.ts'
import { oldOutputsOf } from './changes/old-outputs.ts'
import {
  checkGoalAgainstPlan,
  checkStepsAgainstPlan,
  checkUntargetedAgainstPlan,
  chooseSeed,
} from './checks/check-update-plan.ts'
import { applyPolicies } from './checks/apply-policies.ts'
import { resumeRecorded, replayRecorded } from './replay/replay-registration.ts'
import { runSteps } from './steps/run-steps.ts'
import { keepAsRead, refreshRegistration } from './refresh/refresh-registration.ts'
import { planReplacement } from './changes/plan-replacement.ts'
import { isReplacedAnyway, isTargetedRegistration, recordScope } from './targets/scope.ts'
import type { CurrentState } from './sets.ts'
import { requireMadeDependencies } from './targets/require-made-dependencies.ts'
import { recordFailure, skipIfDependencyFailed } from './checks/failed-dependencies.ts'
import { keepUntargeted, keepUnregisteredDependencies } from './targets/keep-untargeted.ts'
import { requireKnownDependencies } from './checks/require-known-dependencies.ts'
import { decideChange } from './changes/decide-change.ts'

/** How long after one missing plugin others may be found missing, in ms. */
const missingPluginWindowMs = 400

/**
 * Decides one registration, carries it out, and answers what the resource is then. Errors were
 * reported when it throws `Bail` or `RegistrationFailed`. Source:
 * docs/spec/step-generation.md#pipeline.
 */
export async function generate(ctx: GeneratorContext, registration: Goal): Promise<CurrentState> {
  const goal = deleteFirstIfNameFixed(ctx, registration)
  const initialClaim = claimUrn(ctx, goal)
  ctx.sets.goals.set(initialClaim.urn, goal)
  try {
    requireKnownDependencies(ctx, initialClaim.urn, goal)
    const claim = await refreshRegistration(ctx, goal, initialClaim, urn =>
      isDeletedElsewhere(ctx, urn),
    )
    const readState = keepAsRead(ctx, goal, claim)
    if (readState !== undefined) return readState
    const draft = draftStateOf(goal, claim)
    const isTargeted = isTargetedRegistration(ctx, draft)
    keepUnregisteredDependencies(ctx, draft, isTargeted)
    const replayedState = await replayRecorded(
      ctx,
      claim,
      ctx.replay === undefined ? '' : ctx.goalDigestOf(goal),
    )
    if (replayedState !== undefined) {
      ctx.sets.current.set(claim.urn, replayedState)
      return replayedState
    }
    const keptState = ctx.isDestroying ? await keepUntilDestroyed(ctx, goal, claim) : undefined
    if (keptState !== undefined) return keptState
    if (!isTargeted && !(await shouldRecreate(ctx, claim))) {
      checkUntargetedAgainstPlan(ctx, claim, goal)
      const keptDraft = claim.old?.state ?? draft
      await applyPolicies(ctx, { goal, claim, next: keptDraft, compared: keptDraft.inputs })
      return keepUntargeted(ctx, claim, draft)
    }
    const adoptedClaim = isTargeted ? await adoptExisting(ctx, goal, claim) : claim
    const checkedCandidate = await checkInputs(ctx, goal, adoptedClaim, {
      draft: adoptedClaim === claim ? draft : draftStateOf(goal, adoptedClaim),
      isTargeted,
    })
    const candidate = await applyPolicies(ctx, checkedCandidate)
    const steps = await decideSteps(ctx, candidate)
    checkStepsAgainstPlan(ctx, steps)
    requireMadeDependencies(ctx, steps)
    skipIfDependencyFailed(ctx, steps)
    return await runSteps(ctx, candidate, steps)
  } catch (thrown) {
    if (thrown instanceof ProviderError || hasCode(thrown, 'VALUE_MALFORMED'))
      bail(ctx, createRedactor(collectSecretTexts(goal.inputs))(thrown.message), initialClaim.urn)
    if (thrown instanceof RegistrationFailed) throw recordFailure(ctx, initialClaim.urn, thrown)
    if (!(thrown instanceof Bail)) ctx.abort(thrown)
    throw thrown
  }
}

/**
 * Whether a resource is made anew though it is no target: it was deleted with another one, or it
 * was only read before.
 */
async function shouldRecreate(ctx: GeneratorContext, { old }: UrnClaim): Promise<boolean> {
  return old !== undefined && (old.state.external || (await isDeletedElsewhere(ctx, old.state.urn)))
}

/** Loads the provider and runs Check; what is no target keeps its old inputs instead. */
async function checkInputs(
  ctx: GeneratorContext,
  goal: Goal,
  claim: UrnClaim,
  { draft, isTargeted }: { readonly draft: ResourceState; readonly isTargeted: boolean },
): Promise<Candidate> {
  const old = claim.old?.state
  const { inputs, unresettable } = resetPaths(
    old?.inputs ?? goal.inputs,
    goal.inputs,
    old === undefined ? [] : goal.ignoreChanges,
  )
  if (unresettable.length > 0) {
    const paths = unresettable.join(', ')
    ctx.emitter.report(
      'info',
      `cannot ignore changes in added or removed elements of the path: ${paths}`,
      claim.urn,
    )
  }
  const driver = await failOnError(ctx, claim, () => createDriver(ctx, draft))
  const seed = chooseSeed(ctx, claim.urn)
  if (driver.check !== undefined && !isTargeted && old !== undefined) {
    const next = { ...draft, inputs: old.inputs }
    checkGoalAgainstPlan(ctx, claim, { goal, inputs: old.inputs, seed, isFresh: false })
    return { goal, claim, driver, next, compared: old.inputs, seed }
  }
  const fresh = isFresh(ctx, claim)
  if (driver.check === undefined) {
    checkGoalAgainstPlan(ctx, claim, { goal, inputs, seed, isFresh: fresh })
    return { goal, claim, driver, next: draft, compared: inputs, seed }
  }
  const check = driver.check
  const result = await failOnError(ctx, claim, () =>
    fresh ? check(undefined, goal.inputs, seed) : check(old?.inputs, inputs, seed),
  )
  requireValid(ctx, claim, goal, result)
  checkGoalAgainstPlan(ctx, claim, { goal, inputs: result.inputs, seed, isFresh: fresh })
  return {
    goal,
    claim,
    driver,
    next: { ...draft, inputs: result.inputs },
    compared: result.inputs,
    seed,
  }
}

/** Whether nothing of an old state is to be taken over by Check. */
function isFresh(ctx: GeneratorContext, claim: UrnClaim): boolean {
  const old = claim.old?.state
  if (old === undefined || old.external || ctx.sets.deletes.has(old.urn)) return true
  return isReplacedAnyway(ctx.scope, claim.urn, old)
}

function requireValid(
  ctx: GeneratorContext,
  claim: UrnClaim,
  goal: Goal,
  result: CheckResult,
): void {
  if (result.failures.length === 0) return
  reportCheckFailures(
    ctx.emitter,
    { urn: claim.urn, type: goal.type, name: goal.name },
    result.failures,
    goal.inputs,
  )
  ctx.abort()
  throw new Bail()
}

async function failOnError<T>(
  ctx: GeneratorContext,
  claim: UrnClaim,
  request: () => Promise<T>,
): Promise<T> {
  try {
    return await request()
  } catch (thrown) {
    if (thrown instanceof Bail) throw thrown
    if (hasCode(thrown, 'PLUGIN_MISSING')) {
      ctx.emitter.report('error', `${thrown.message}. ${thrown.hint}`, claim.urn)
      // Others that miss theirs shall say so too, before everything ends.
      await ctx.pause(missingPluginWindowMs)
      ctx.abort()
      throw new Bail()
    }
    const texts = collectSecretTexts(ctx.sets.goals.get(claim.urn)?.inputs)
    return bail(ctx, createRedactor(texts)(messageOf(thrown)), claim.urn)
  }
}

/**
 * The steps of a checked registration; differences are asked for outside, decisions are made inside
 * the turn.
 */
async function decideSteps(ctx: GeneratorContext, candidate: Candidate): Promise<readonly Step[]> {
  const { claim, next } = candidate
  const old = claim.old
  const { urn } = claim
  if (old === undefined) {
    recordScope(ctx, next, true)
    return [stepOf({ op: 'create', effect: 'add', next })]
  }
  if (await isDeletedElsewhere(ctx, old.state.urn)) return createRecreateSteps(ctx, candidate, old)
  if (old.state.external) {
    markReplaced(ctx, claim)
    return [
      stepOf({ op: 'create-replacement', effect: 'add-mark', old, next }),
      stepOf({ op: 'replace', effect: 'none', old, next }),
    ]
  }
  recordScope(ctx, next, true)
  const difference = await computeDifference(ctx, candidate, old.state)
  return ctx.decideInTurn(async () => {
    if (ctx.isAborted()) throw new Bail()
    // A replacement elsewhere may have deleted it while its difference was asked for.
    if (await isDeletedElsewhere(ctx, old.state.urn))
      return createRecreateSteps(ctx, candidate, old)
    const options = {
      replaceOnChanges: candidate.goal.replaceOnChanges,
      triggered: difference.triggered,
    }
    const verdict = decideChange(old.state, difference.diff, options)
    if (verdict.kind === 'replace') return planReplacement(ctx, candidate, verdict)
    ctx.sets.operated.add(urn)
    if (verdict.kind === 'same')
      return [
        stepOf({ op: 'same', effect: 'replace', old, next: keepProviderValues(next, old.state) }),
      ]
    return [stepOf({ op: 'update', effect: 'replace', old, next, reason: verdict.reason })]
  })
}

/**
 * Whether a replacement elsewhere deleted the resource, under the name that it had. Its delete is
 * awaited: what failed to go is decided about like any other.
 */
async function isDeletedElsewhere(ctx: GeneratorContext, urn: Urn): Promise<boolean> {
  const { sets, replay } = ctx
  if (!sets.deletes.has(urn)) return false
  const recorded = sets.pendingDeletes.has(urn) ? undefined : replay?.deleteBeforeReplaceOf(urn)
  const ended =
    replay === undefined || recorded === undefined
      ? sets.pendingDeletes.get(urn)?.promise
      : resumeRecorded(ctx, replay, recorded)
  await Promise.race([ended, ctx.aborted])
  if (ctx.isAborted()) throw new Bail()
  return ctx.sets.deletes.has(urn)
}

/** An unchanged resource keeps what only a provider can say. */
function keepProviderValues(next: ResourceState, old: ResourceState): ResourceState {
  return { ...next, id: old.id, outputs: oldOutputsOf(old), initErrors: old.initErrors }
}

/** The create of a resource that a replacement elsewhere deleted first. */
function createRecreateSteps(
  ctx: GeneratorContext,
  { claim, next }: Candidate,
  old: TrackedState,
): readonly Step[] {
  const { sets } = ctx
  const oldUrn = old.state.urn
  sets.deletes.delete(oldUrn)
  markReplaced(ctx, claim)
  const reason = { keys: sets.dependentKeys.get(oldUrn) ?? [], diffs: [], detailedDiff: null }
  return [
    stepOf({ op: 'replace', effect: 'none', old, next, reason }),
    stepOf({ op: 'create-replacement', effect: 'replace', old, next, reason }),
  ]
}
