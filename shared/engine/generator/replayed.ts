import type { RecordedDecision } from '../deployment/recorded.ts'
import type { TrackedState } from '../step.ts'
import { type EndedStep, succeeded } from '../step-end.ts'
import { useProvider } from './carry-out.ts'
import type { Claim } from './claim.ts'
import { failRegistration, type GeneratorContext } from './context.ts'
import { noteEnds } from './note-ends.ts'
import { takenBy } from './planning.ts'
import type { RecordedRegistration, RecordedSettled, Replay } from './replay.ts'
import { forget } from './restore.ts'
import { tellSameViews } from './same-views.ts'
import { afterSettled } from './settled-hooks.ts'
import type { CurrentState } from './sets.ts'

/**
 * Answers a registration that an earlier life decided: the recorded decision is carried on, and the
 * answer is the recorded one, byte for byte. Undefined when it is to be decided (anew). A goal that
 * differs keeps its recorded decision if anything of it began, and the deployment says so.
 */
export async function replayed(
  ctx: GeneratorContext,
  claim: Claim,
  goal: string,
): Promise<CurrentState | undefined> {
  const { replay } = ctx
  const decisions = replay?.decisionsOf(claim.urn) ?? []
  const last = decisions.at(-1)
  if (replay === undefined || last === undefined) return undefined
  if (last.goal !== goal && !(await isKept(ctx, replay, last))) return undefined
  const registration = decisions.findLast(decision => decision.kind === 'registration')
  const ends = registration === undefined ? [] : await carriedOn(ctx, replay, registration)
  // What only a person can find out is no reason to leave the rest undone.
  const isUnknown = ends.some(({ end }) => end.verdict === 'interrupted')
  if (ends.some(({ end }) => end.verdict !== 'succeeded')) return failRegistration(ctx, isUnknown)
  if (last.kind === 'settled') return settledAgain(ctx, replay, claim, last)
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
export function carriedOn(
  { sets }: Pick<GeneratorContext, 'sets'>,
  replay: Replay,
  registration: RecordedRegistration,
): Promise<readonly EndedStep[]> {
  return replay.rerun(registration, (decided, ended) => noteEnds(sets, decided, ended))
}

async function isKept(
  ctx: GeneratorContext,
  replay: Replay,
  decision: RecordedDecision,
): Promise<boolean> {
  const urn = decision.kind === 'registration' ? decision.urn : decision.operation.urn
  if (decision.kind === 'registration' && (await replay.withdraw(decision))) {
    forget(ctx.sets, decision)
    ctx.planning.guard?.giveBack(takenBy(decision, ctx.sets))
    return false
  }
  const message =
    'the program registers this otherwise than before the deployment was interrupted; ' +
    'what was decided then is kept, and the next deployment will bring it to its goal'
  ctx.emitter.diagnostic('warning', message, urn)
  return true
}

async function settledAgain(
  ctx: GeneratorContext,
  replay: Replay,
  claim: Claim,
  decision: RecordedSettled,
): Promise<CurrentState> {
  const { step, tracked } = replay.settled(decision)
  const { state } = tracked
  ctx.emitter.pre(step)
  const inputs = step.op === 'same' ? (claim.old?.state.inputs ?? state.inputs) : state.inputs
  await useProvider(ctx, state, inputs)
  await afterSettled(ctx, step, state)
  const end = succeeded(state)
  ctx.emitter.ended(step, end)
  ctx.emitter.count(step, end)
  if (step.op === 'same' && step.old !== undefined) tellSameViews(ctx, step.old.state)
  noteEnds(ctx.sets, [step], [{ step, end, tracked }])
  return { ...tracked, op: step.op }
}

/**
 * Recorded resources that the program of this life did not register: condemned like any other, and
 * said. Each as it is now.
 */
export async function leftovers(ctx: GeneratorContext): Promise<readonly TrackedState[]> {
  const { replay, sets } = ctx
  if (replay === undefined) return []
  const found: TrackedState[] = []
  for (const urn of replay.urns()) {
    if (sets.seen.has(urn)) continue
    const tracked = await replay.stateOf(urn)
    if (tracked === undefined) continue
    const message =
      'the program registered this before the deployment was interrupted and does not any more: it is deleted'
    ctx.emitter.diagnostic('warning', message, urn)
    found.push(tracked)
  }
  return found
}
