import type { RecordedDecision } from '../../deployment/log/decision-index.ts'
import type { TrackedState } from '../../step.ts'
import { successEndOf } from '../../step-end.ts'
import { plannedUrnsOf } from '../checks/check-update-plan.ts'
import type { GeneratorContext } from '../context.ts'
import type { UrnClaim } from '../registration/claim-urn.ts'
import type { CurrentState } from '../sets.ts'
import { type Answered, decided, failStep, type StageResult } from '../stage.ts'
import { configureUnusedProvider } from '../steps/run-steps.ts'
import { emitSameViews } from '../steps/same-views.ts'
import { runAfterHooks } from '../steps/settled-hooks.ts'
import { createStepEndsDelta } from '../steps/step-ends-delta.ts'
import { isRefresh, type RecordedSettlement, type Replay } from './replay.ts'
import { forgetDecision } from './restore-sets.ts'
import { resumeRecorded } from './resume-recorded.ts'

/**
 * Answers a registration that an earlier generator decided: the recorded decision runs to its end,
 * and the answer is the recorded one, byte for byte. `decided`: there is no record, or it is
 * decided again. A goal that differs keeps its recorded decision once a step of it began, with a
 * warning.
 */
export async function replayRecorded(
  ctx: GeneratorContext,
  claim: UrnClaim,
  goal: string,
): Promise<StageResult<void>> {
  const { replay } = ctx.ports
  const decisions = (replay?.decisionsOf(claim.urn) ?? []).filter(known => !isRefresh(known))
  const last = decisions.at(-1)
  if (replay === undefined || last === undefined) return decided(undefined)
  if (last.goal !== goal && !(await shouldKeepDecision(ctx, replay, last)))
    return decided(undefined)
  const registration = decisions.findLast(decision => decision.kind === 'registration')
  const ends = registration === undefined ? [] : await resumeRecorded(ctx, replay, registration)
  // Only a person can resolve an interrupted operation: the other resources do not wait for it.
  const isUnknown = ends.some(({ end }) => end.verdict === 'interrupted')
  if (ends.some(({ end }) => end.verdict !== 'succeeded')) return failStep(ctx.input, isUnknown)
  if (last.kind === 'settled') return replaySettled(ctx, replay, claim, last)
  // An imported resource is compared with its goal afterwards, unless the goal has changed.
  if (last === replay.importOf(claim.urn) && last.goal === goal) return decided(undefined)
  const made = ends.findLast(({ step }) => step.next !== undefined)
  // The record has only the deletes of a replacement that the generator settles: decide the rest.
  if (made?.tracked === undefined) return decided(undefined)
  return toReplayed(claim, { ...made.tracked, op: made.step.op })
}

function toReplayed({ urn }: UrnClaim, current: CurrentState): Answered {
  return { kind: 'replayed', current, delta: { current: [[urn, current]] } }
}

async function shouldKeepDecision(
  ctx: GeneratorContext,
  replay: Replay,
  decision: RecordedDecision,
): Promise<boolean> {
  const urn = decision.kind === 'registration' ? decision.urn : decision.operation.urn
  if (decision.kind === 'registration' && (await replay.withdraw(decision))) {
    ctx.apply(forgetDecision(ctx.input.sets, decision))
    ctx.ports.updatePlan.guard?.restoreSteps(plannedUrnsOf(decision, ctx.input.sets))
    return false
  }
  const message =
    'the program registers this otherwise than before the deployment was interrupted; ' +
    'the recorded decision is kept, and the next deployment updates the resource'
  ctx.ports.emitter.report('warning', message, urn)
  return true
}

async function replaySettled(
  ctx: GeneratorContext,
  replay: Replay,
  claim: UrnClaim,
  decision: RecordedSettlement,
): Promise<Answered> {
  const { emitter } = ctx.ports
  const { step, tracked } = replay.reopenSettled(decision)
  const { state } = tracked
  emitter.emitBegin(step)
  const inputs = step.op === 'same' ? (claim.old?.state.inputs ?? state.inputs) : state.inputs
  await configureUnusedProvider(ctx, state, inputs)
  await runAfterHooks(ctx, step, state)
  const end = successEndOf(state)
  emitter.emitEnd(step, end)
  emitter.count(step, end)
  if (step.op === 'same' && step.old !== undefined) emitSameViews(ctx, step.old.state)
  ctx.apply(createStepEndsDelta([step], [{ step, end, tracked }]))
  return toReplayed(claim, { ...tracked, op: step.op })
}

/**
 * Returns the recorded resources that the program did not register this time, each as it is now.
 * They are deleted like any other unregistered resource, with a warning.
 */
export async function findLeftovers(ctx: GeneratorContext): Promise<readonly TrackedState[]> {
  const { sets } = ctx.input
  const { replay } = ctx.ports
  if (replay === undefined) return []
  const found: TrackedState[] = []
  for (const urn of replay.recordedUrns()) {
    if (sets.registered.has(urn)) continue
    const tracked = await replay.readState(urn)
    if (tracked === undefined) continue
    const message =
      'the program registered this before the deployment was interrupted and does not any more: it is deleted'
    ctx.ports.emitter.report('warning', message, urn)
    found.push(tracked)
  }
  return found
}
