import type { RecordedDecision } from '../../deployment/log/decision-index.ts'
import type { TrackedState } from '../../step.ts'
import { successEndOf } from '../../step-end.ts'
import { plannedUrnsOf } from '../checks/check-update-plan.ts'
import type { GeneratorContext } from '../context.ts'
import type { UrnAssignment } from '../registration/assign-urn.ts'
import type { CurrentState } from '../sets.ts'
import { type AnsweredResult, toDecided, failStep, type StageResult } from '../stage.ts'
import { ensureProviderConfigured } from '../steps/run-steps.ts'
import { emitSameViews } from '../steps/same-views.ts'
import { runAfterHooks } from '../steps/settled-hooks.ts'
import { createStepEndsDelta } from '../steps/step-ends-delta.ts'
import { isRefreshDecision, type RecordedSettlement, type Replay } from './decision-replay.ts'
import { createWithdrawalDelta } from './restore-sets.ts'
import { resumeRecorded } from './resume-recorded.ts'

/**
 * Answers a registration that an earlier generator run decided. Completes the recorded decision,
 * and returns the recorded answer. Returns `decided` if no record answers the registration, or if
 * the record was withdrawn. The next stages then decide the registration. If the goal differs from
 * a record that can no longer be withdrawn, the recorded decision is kept with a warning.
 */
export async function replayRecorded(
  ctx: GeneratorContext,
  assignment: UrnAssignment,
  goalDigest: string,
): Promise<StageResult<void>> {
  const { replay } = ctx.ports
  const decisions = (replay?.decisionsOf(assignment.urn) ?? []).filter(
    decision => !isRefreshDecision(decision),
  )
  const lastDecision = decisions.at(-1)
  if (replay === undefined || lastDecision === undefined) return toDecided(undefined)
  if (lastDecision.goal !== goalDigest && !(await keepUnlessWithdrawn(ctx, replay, lastDecision)))
    return toDecided(undefined)
  const registration = decisions.findLast(decision => decision.kind === 'registration')
  const ends = registration === undefined ? [] : await resumeRecorded(ctx, replay, registration)
  // Only a user can resolve an interrupted operation, so the deployment continues with the other
  // resources. The records lack the reason for an interruption, so the deployment continues for
  // every reason.
  const isAnyInterrupted = ends.some(({ end }) => end.verdict === 'interrupted')
  if (ends.some(({ end }) => end.verdict !== 'succeeded'))
    return failStep(ctx.input, isAnyInterrupted)
  if (lastDecision.kind === 'settled') return replaySettled(ctx, replay, assignment, lastDecision)
  // The next stages compare an imported resource with its goal. If the goal differs from the
  // record, the next stages are skipped, and the imported state is the answer.
  if (lastDecision === replay.importOf(assignment.urn) && lastDecision.goal === goalDigest)
    return toDecided(undefined)
  const endedStep = ends.findLast(({ step }) => step.next !== undefined)
  // Without a state, the record contains only the deletes of a replacement. The generator itself
  // settles the create of such a resource, so the next stages decide the create.
  if (endedStep?.trackedState === undefined) return toDecided(undefined)
  return toReplayedAnswer(assignment, { ...endedStep.trackedState, op: endedStep.step.op })
}

function toReplayedAnswer({ urn }: UrnAssignment, current: CurrentState): AnsweredResult {
  return { kind: 'replayed', current, delta: { currentStates: [[urn, current]] } }
}

/**
 * Withdraws a recorded registration if none of its operations has begun. Otherwise reports a
 * warning. Returns whether the decision is kept.
 */
async function keepUnlessWithdrawn(
  ctx: GeneratorContext,
  replay: Replay,
  decision: RecordedDecision,
): Promise<boolean> {
  const urn = decision.kind === 'registration' ? decision.urn : decision.operation.urn
  if (decision.kind === 'registration' && (await replay.withdraw(decision))) {
    ctx.apply(createWithdrawalDelta(ctx.input.sets, decision))
    ctx.ports.updatePlan.guard?.restoreSteps(plannedUrnsOf(decision, ctx.input.sets))
    return false
  }
  const message =
    'the program registers the resource differently than before the deployment was interrupted; ' +
    'the recorded decision is kept, and the next deployment updates the resource'
  ctx.ports.emitter.report('warning', message, urn)
  return true
}

async function replaySettled(
  ctx: GeneratorContext,
  replay: Replay,
  assignment: UrnAssignment,
  decision: RecordedSettlement,
): Promise<AnsweredResult> {
  const { emitter } = ctx.ports
  const { step, trackedState } = replay.reopenSettled(decision)
  const { state } = trackedState
  emitter.emitBegin(step)
  const inputs = step.op === 'same' ? (assignment.old?.state.inputs ?? state.inputs) : state.inputs
  await ensureProviderConfigured(ctx, state, inputs)
  await runAfterHooks(ctx, step, state)
  const end = successEndOf(state)
  emitter.emitEnd(step, end)
  emitter.count(step, end)
  if (step.op === 'same' && step.old !== undefined) emitSameViews(ctx, step.old.state)
  ctx.apply(createStepEndsDelta([step], [{ step, end, trackedState }]))
  return toReplayedAnswer(assignment, { ...trackedState, op: step.op })
}

/**
 * Returns the leftovers: the current states of recorded resources that the program did not register
 * in this run. The caller deletes them like other unregistered resources. Each one is reported as a
 * warning.
 */
export async function findLeftovers(ctx: GeneratorContext): Promise<readonly TrackedState[]> {
  const { sets } = ctx.input
  const { replay } = ctx.ports
  if (replay === undefined) return []
  const leftovers: TrackedState[] = []
  for (const urn of replay.recordedUrns()) {
    if (sets.registeredUrns.has(urn)) continue
    const trackedState = await replay.readState(urn)
    if (trackedState === undefined) continue
    const message =
      'the program registered the resource before the deployment was interrupted, ' +
      'and no longer registers it; the resource is deleted'
    ctx.ports.emitter.report('warning', message, urn)
    leftovers.push(trackedState)
  }
  return leftovers
}
