import type { CheckResult } from '../../providers/provider.ts'
import type { Urn } from '../../names/urn.ts'
import type { ResourceState } from '../../state/resource.ts'
import { scrubber, secretTexts } from '../../values/scrub.ts'
import { resetPaths } from '../../values/path.ts'
import { hasCode, messageOf } from '../../errors/error.ts'
import { ProviderError } from '../../providers/provider.ts'
import { type Step, stepOf, type TrackedState } from '../step.ts'
import { Bail, bail, type GeneratorContext, RegistrationFailed } from './context.ts'
import { type Candidate, markReplaced } from './candidate.ts'
import { adopted } from './adopt.ts'
import { type Claim, claimUrn, draftOf } from './claim.ts'
import { leftForDelete } from './destroying.ts'
import { differenceOf } from './difference.ts'
import { driverFor } from './driver.ts'
import type { Goal } from './goal.ts'
import { reportFailures } from './check-failures.ts'
import { deletedFirst } from './naming.ts'
import { oldOutputs } from './old-outputs.ts'
import { planGoal, planSteps, planUntargeted, seedOf } from './planning.ts'
import { underPolicies } from './policies.ts'
import { carriedOn, replayed } from './replayed.ts'
import { carryOut } from './carry-out.ts'
import { leftAsRead, refreshedFirst } from './refreshed.ts'
import { replacementSteps } from './replacement.ts'
import { isReplacedAnyway, isTargetedRegistration, noteScope } from './scope.ts'
import type { CurrentState } from './sets.ts'
import { requireMade } from './skipped-creates.ts'
import { registrationFailed, skipBelowFailed } from './skipped-below.ts'
import { passOver, pullForward } from './untargeted.ts'
import { requireKnown } from './unknown-dependencies.ts'
import { verdictOf } from './verdict.ts'

/** How long after one missing plugin others may be found missing, in ms. */
const gatherMs = 400

/**
 * Decides one registration, carries it out, and answers what the resource is then. Errors were
 * reported when it throws `Bail` or `RegistrationFailed`. Source:
 * docs/spec/step-generation.md#pipeline.
 */
export async function generate(ctx: GeneratorContext, asked: Goal): Promise<CurrentState> {
  const goal = deletedFirst(ctx, asked)
  const claimed = claimUrn(ctx, goal)
  ctx.sets.goals.set(claimed.urn, goal)
  try {
    requireKnown(ctx, claimed.urn, goal)
    const claim = await refreshedFirst(ctx, goal, claimed, urn => isDeleted(ctx, urn))
    const read = leftAsRead(ctx, goal, claim)
    if (read !== undefined) return read
    const draft = draftOf(goal, claim)
    const isTargeted = isTargetedRegistration(ctx, draft)
    pullForward(ctx, draft, isTargeted)
    const known = await replayed(ctx, claim, ctx.replay === undefined ? '' : ctx.digestOf(goal))
    if (known !== undefined) {
      ctx.sets.current.set(claim.urn, known)
      return known
    }
    const left = ctx.isDestroying ? await leftForDelete(ctx, goal, claim) : undefined
    if (left !== undefined) return left
    if (!isTargeted && !(await isTaken(ctx, claim))) {
      planUntargeted(ctx, claim, goal)
      const kept = claim.old?.state ?? draft
      await underPolicies(ctx, { goal, claim, next: kept, compared: kept.inputs })
      return passOver(ctx, claim, draft)
    }
    const taken = isTargeted ? await adopted(ctx, goal, claim) : claim
    const made = await checked(ctx, goal, taken, {
      draft: taken === claim ? draft : draftOf(goal, taken),
      isTargeted,
    })
    const candidate = await underPolicies(ctx, made)
    const steps = await decideSteps(ctx, candidate)
    planSteps(ctx, steps)
    requireMade(ctx, steps)
    skipBelowFailed(ctx, steps)
    return await carryOut(ctx, candidate, steps)
  } catch (thrown) {
    if (thrown instanceof ProviderError || hasCode(thrown, 'VALUE_MALFORMED'))
      bail(ctx, scrubber(secretTexts(goal.inputs))(thrown.message), claimed.urn)
    if (thrown instanceof RegistrationFailed) throw registrationFailed(ctx, claimed.urn, thrown)
    if (!(thrown instanceof Bail)) ctx.abort(thrown)
    throw thrown
  }
}

/**
 * Whether a resource is made anew though it is no target: it was deleted with another one, or it
 * was only read before.
 */
async function isTaken(ctx: GeneratorContext, { old }: Claim): Promise<boolean> {
  return old !== undefined && (old.state.external || (await isDeleted(ctx, old.state.urn)))
}

/** Loads the provider and runs Check; what is no target keeps its old inputs instead. */
async function checked(
  ctx: GeneratorContext,
  goal: Goal,
  claim: Claim,
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
    ctx.emitter.diagnostic(
      'info',
      `cannot ignore changes in added or removed elements of the path: ${paths}`,
      claim.urn,
    )
  }
  const driver = await orBail(ctx, claim, () => driverFor(ctx, draft))
  const seed = seedOf(ctx, claim.urn)
  if (driver.check !== undefined && !isTargeted && old !== undefined) {
    const next = { ...draft, inputs: old.inputs }
    planGoal(ctx, claim, { goal, inputs: old.inputs, seed, isFresh: false })
    return { goal, claim, driver, next, compared: old.inputs, seed }
  }
  const fresh = isFresh(ctx, claim)
  if (driver.check === undefined) {
    planGoal(ctx, claim, { goal, inputs, seed, isFresh: fresh })
    return { goal, claim, driver, next: draft, compared: inputs, seed }
  }
  const check = driver.check
  const result = await orBail(ctx, claim, () =>
    fresh ? check(undefined, goal.inputs, seed) : check(old?.inputs, inputs, seed),
  )
  requireValid(ctx, claim, goal, result)
  planGoal(ctx, claim, { goal, inputs: result.inputs, seed, isFresh: fresh })
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
function isFresh(ctx: GeneratorContext, claim: Claim): boolean {
  const old = claim.old?.state
  if (old === undefined || old.external || ctx.sets.deletes.has(old.urn)) return true
  return isReplacedAnyway(ctx.scope, claim.urn, old)
}

function requireValid(ctx: GeneratorContext, claim: Claim, goal: Goal, result: CheckResult): void {
  if (result.failures.length === 0) return
  reportFailures(
    ctx.emitter,
    { urn: claim.urn, type: goal.type, name: goal.name },
    result.failures,
    goal.inputs,
  )
  ctx.abort()
  throw new Bail()
}

async function orBail<T>(ctx: GeneratorContext, claim: Claim, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (thrown) {
    if (thrown instanceof Bail) throw thrown
    if (hasCode(thrown, 'PLUGIN_MISSING')) {
      ctx.emitter.diagnostic('error', `${thrown.message}. ${thrown.hint}`, claim.urn)
      // Others that miss theirs shall say so too, before everything ends.
      await ctx.pause(gatherMs)
      ctx.abort()
      throw new Bail()
    }
    const texts = secretTexts(ctx.sets.goals.get(claim.urn)?.inputs)
    return bail(ctx, scrubber(texts)(messageOf(thrown)), claim.urn)
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
    noteScope(ctx, next, true)
    return [stepOf({ op: 'create', effect: 'add', next })]
  }
  if (await isDeleted(ctx, old.state.urn)) return recreateSteps(ctx, candidate, old)
  if (old.state.external) {
    markReplaced(ctx, claim)
    return [
      stepOf({ op: 'create-replacement', effect: 'add-mark', old, next }),
      stepOf({ op: 'replace', effect: 'none', old, next }),
    ]
  }
  noteScope(ctx, next, true)
  const difference = await differenceOf(ctx, candidate, old.state)
  return ctx.decide(async () => {
    if (ctx.isAborted()) throw new Bail()
    // A replacement elsewhere may have deleted it while its difference was asked for.
    if (await isDeleted(ctx, old.state.urn)) return recreateSteps(ctx, candidate, old)
    const wish = {
      replaceOnChanges: candidate.goal.replaceOnChanges,
      triggered: difference.triggered,
    }
    const verdict = verdictOf(old.state, difference.diff, wish)
    if (verdict.kind === 'replace') return replacementSteps(ctx, candidate, verdict)
    ctx.sets.operated.add(urn)
    if (verdict.kind === 'same')
      return [stepOf({ op: 'same', effect: 'replace', old, next: sameState(next, old.state) })]
    return [stepOf({ op: 'update', effect: 'replace', old, next, reason: verdict.reason })]
  })
}

/**
 * Whether a replacement elsewhere deleted the resource, under the name that it had. Its delete is
 * awaited: what failed to go is decided about like any other.
 */
async function isDeleted(ctx: GeneratorContext, urn: Urn): Promise<boolean> {
  const { sets, replay } = ctx
  if (!sets.deletes.has(urn)) return false
  const recorded = sets.deleting.has(urn) ? undefined : replay?.deletingFirst(urn)
  const ended =
    replay === undefined || recorded === undefined
      ? sets.deleting.get(urn)?.promise
      : carriedOn(ctx, replay, recorded)
  await Promise.race([ended, ctx.aborted])
  if (ctx.isAborted()) throw new Bail()
  return ctx.sets.deletes.has(urn)
}

/** An unchanged resource keeps what only a provider can say. */
function sameState(next: ResourceState, old: ResourceState): ResourceState {
  return { ...next, id: old.id, outputs: oldOutputs(old), initErrors: old.initErrors }
}

/** The create of a resource that a replacement elsewhere deleted first. */
function recreateSteps(
  ctx: GeneratorContext,
  { claim, next }: Candidate,
  old: TrackedState,
): readonly Step[] {
  const { sets } = ctx
  const was = old.state.urn
  sets.deletes.delete(was)
  markReplaced(ctx, claim)
  const reason = { keys: sets.dependentKeys.get(was) ?? [], diffs: [], detailedDiff: null }
  return [
    stepOf({ op: 'replace', effect: 'none', old, next, reason }),
    stepOf({ op: 'create-replacement', effect: 'replace', old, next, reason }),
  ]
}
