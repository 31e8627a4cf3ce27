import type { RecordedDecision } from '../../deployment/log/decision-index.ts'
import type { TrackedState } from '../../step.ts'
import { type EndedStep, successEndOf } from '../../step-end.ts'
import { configureUnusedProvider } from '../steps/run-steps.ts'
import type { UrnClaim } from '../registration/claim-urn.ts'
import { failRegistration, type GeneratorContext } from '../context.ts'
import { applyStepEnds } from '../steps/apply-step-ends.ts'
import { plannedUrnsOf } from '../checks/check-update-plan.ts'
import {
  isRefresh,
  type RecordedRegistration,
  type RecordedSettlement,
  type Replay,
} from './replay.ts'
import { forgetDecision } from './restore-sets.ts'
import { emitSameViews } from '../steps/same-views.ts'
import { runAfterHooks } from '../steps/settled-hooks.ts'
import type { CurrentState } from '../sets.ts'

/**
 * Answers a registration that an earlier life decided: the recorded decision is carried on, and the
 * answer is the recorded one, byte for byte. Undefined when it is to be decided (anew). A goal that
 * differs keeps its recorded decision if anything of it began, and the deployment says so.
 */
export async function replayRecorded(
  ctx: GeneratorContext,
  claim: UrnClaim,
  goal: string,
): Promise<CurrentState | undefined> {
  const { replay } = ctx
  const decisions = (replay?.decisionsOf(claim.urn) ?? []).filter(known => !isRefresh(known))
  const last = decisions.at(-1)
  if (replay === undefined || last === undefined) return undefined
  if (last.goal !== goal && !(await shouldKeepDecision(ctx, replay, last))) return undefined
  const registration = decisions.findLast(decision => decision.kind === 'registration')
  const ends = registration === undefined ? [] : await resumeRecorded(ctx, replay, registration)
  // What only a person can find out is no reason to leave the rest undone.
  const isUnknown = ends.some(({ end }) => end.verdict === 'interrupted')
  if (ends.some(({ end }) => end.verdict !== 'succeeded')) return failRegistration(ctx, isUnknown)
  if (last.kind === 'settled') return replaySettled(ctx, replay, claim, last)
  // What was imported is compared with its goal after that, unless that is another by now.
  if (last === replay.importOf(claim.urn) && last.goal === goal) return undefined
  const made = ends.findLast(({ step }) => step.next !== undefined)
  // Only the deletes of a replacement that the generator settles itself: the rest is decided now.
  if (made?.tracked === undefined) return undefined
  return { ...made.tracked, op: made.step.op }
}

/**
 * The end of a recorded chain, taken into the sets: also of what of it never began, for a delete
 * that did not take place must not count as one.
 */
export function resumeRecorded(
  { sets }: Pick<GeneratorContext, 'sets'>,
  replay: Replay,
  registration: RecordedRegistration,
): Promise<readonly EndedStep[]> {
  return replay.resume(registration, (decided, ended) => applyStepEnds(sets, decided, ended))
}

async function shouldKeepDecision(
  ctx: GeneratorContext,
  replay: Replay,
  decision: RecordedDecision,
): Promise<boolean> {
  const urn = decision.kind === 'registration' ? decision.urn : decision.operation.urn
  if (decision.kind === 'registration' && (await replay.withdraw(decision))) {
    forgetDecision(ctx.sets, decision)
    ctx.updatePlan.guard?.restoreSteps(plannedUrnsOf(decision, ctx.sets))
    return false
  }
  const message =
    'the program registers this otherwise than before the deployment was interrupted; ' +
    'what was decided then is kept, and the next deployment will bring it to its goal'
  ctx.emitter.report('warning', message, urn)
  return true
}

async function replaySettled(
  ctx: GeneratorContext,
  replay: Replay,
  claim: UrnClaim,
  decision: RecordedSettlement,
): Promise<CurrentState> {
  const { step, tracked } = replay.reopenSettled(decision)
  const { state } = tracked
  ctx.emitter.emitBegin(step)
  const inputs = step.op === 'same' ? (claim.old?.state.inputs ?? state.inputs) : state.inputs
  await configureUnusedProvider(ctx, state, inputs)
  await runAfterHooks(ctx, step, state)
  const end = successEndOf(state)
  ctx.emitter.emitEnd(step, end)
  ctx.emitter.count(step, end)
  if (step.op === 'same' && step.old !== undefined) emitSameViews(ctx, step.old.state)
  applyStepEnds(ctx.sets, [step], [{ step, end, tracked }])
  return { ...tracked, op: step.op }
}

/**
 * Recorded resources that the program of this life did not register: condemned like any other, and
 * said. Each as it is now.
 */
export async function findLeftovers(ctx: GeneratorContext): Promise<readonly TrackedState[]> {
  const { replay, sets } = ctx
  if (replay === undefined) return []
  const found: TrackedState[] = []
  for (const urn of replay.recordedUrns()) {
    if (sets.registered.has(urn)) continue
    const tracked = await replay.readState(urn)
    if (tracked === undefined) continue
    const message =
      'the program registered this before the deployment was interrupted and does not any more: it is deleted'
    ctx.emitter.report('warning', message, urn)
    found.push(tracked)
  }
  return found
}
