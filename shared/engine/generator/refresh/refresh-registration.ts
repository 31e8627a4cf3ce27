import { emitStep } from '../../events/emit-step.ts'
import { isProviderType } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import { type Step, stepOf } from '../../step.ts'
import { type EndedStep, successEndOf } from '../../step-end.ts'
import { isSettledByGenerator } from '../registration/candidate.ts'
import { type UrnClaim, draftStateOf } from '../registration/claim-urn.ts'
import { Bail, type GeneratorContext } from '../context.ts'
import { requiredUrnsOf } from '../deletion/destroy.ts'
import type { Goal } from '../registration/goal.ts'
import { resumeRecorded } from '../replay/replay-registration.ts'
import { isIncluded } from '../targets/scope.ts'
import type { CurrentState } from '../sets.ts'
import { skipCreate } from '../targets/keep-untargeted.ts'

/**
 * The claim with its old state as it is read now, where a refresh goes by the program: what was
 * read has the options of the goal already, so that a change of these alone, of its provider too,
 * is no difference any more. The read is a decision of its own: a later life finds it, and goes on
 * from its end. `isDeleted`: whether a replacement elsewhere deleted it first. Source:
 * docs/spec/step-generation.md#pipeline.
 */
export async function refreshRegistration(
  ctx: GeneratorContext,
  goal: Goal,
  claim: UrnClaim,
  isDeleted: (urn: Urn) => Promise<boolean>,
): Promise<UrnClaim> {
  const { old, index, urn } = claim
  if (ctx.refreshing === undefined || old === undefined || index === undefined) return claim
  if (!isIncluded(ctx, old.state)) return claim
  ctx.sets.operated.add(urn)
  const next = draftStateOf(goal, claim)
  // Of components and providers nothing is read, and nothing is told.
  if (isSettledByGenerator(next)) return claim
  const { outputsOnly } = ctx
  const step = stepOf({ op: 'refresh', effect: 'replace', old, next, outputsOnly })
  const recorded = ctx.replay?.refreshOf(urn)
  if (recorded === undefined) {
    const isUnread = isSettledByGenerator(old.state) || old.state.pendingReplacement
    if (isUnread || (await isDeleted(urn))) {
      emitStep(ctx.emitter, step, successEndOf(step.old?.state, 'same'))
      return claim
    }
  }
  const ended =
    ctx.replay !== undefined && recorded !== undefined
      ? await resumeRecorded(ctx, ctx.replay, recorded)
      : await runRefresh(ctx, goal, claim, step)
  const [made] = ended
  if (made?.end.verdict !== 'succeeded') {
    // Nothing can be decided about what nobody knows: it ends even where errors do not.
    ctx.noteFailure()
    ctx.abort()
    throw new Bail()
  }
  const now = made.tracked === undefined ? undefined : { ...made.tracked, refreshedIndex: index }
  ctx.sets.refreshed.set(index, now)
  return { ...claim, old: now }
}

function runRefresh(
  ctx: GeneratorContext,
  goal: Goal,
  { urn, alias }: UrnClaim,
  step: Step,
): Promise<readonly EndedStep[]> {
  if (ctx.isAborted()) throw new Bail()
  const sets = alias === undefined ? {} : { aliased: [[alias, urn] as const] }
  return ctx.runner.run({ urn, goal: ctx.goalDigestOf(goal), steps: [step], sets })
}

/**
 * What a refresh that runs its program makes of a registration: resources are what was read of
 * them, and none is made. Undefined for components and providers, which are decided about as
 * always, unless they need what is not made. Source:
 * docs/spec/step-generation.md#after-the-refresh.
 */
export function keepAsRead(
  ctx: GeneratorContext,
  goal: Goal,
  claim: UrnClaim,
): CurrentState | undefined {
  if (ctx.refreshing !== 'only') return undefined
  const draft = draftStateOf(goal, claim)
  const isBlocked = requiredUrnsOf(draft).some(urn => ctx.sets.skipped.has(urn))
  if (!isBlocked && (!goal.custom || isProviderType(goal.type))) return undefined
  const { old, urn } = claim
  if (old === undefined) {
    ctx.sets.operated.add(urn)
    return skipCreate(ctx, draft)
  }
  const current: CurrentState = { ...old, op: 'refresh', skipReason: 'as read' }
  // What was not read keeps its name: that is what the program is told.
  ctx.sets.current.set(old.state.urn, current)
  ctx.sets.current.set(urn, current)
  return current
}
