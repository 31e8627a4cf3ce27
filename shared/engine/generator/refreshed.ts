import { tellStep } from '../events/tell-step.ts'
import { isProviderType } from '../../names/provider-reference.ts'
import type { Urn } from '../../names/urn.ts'
import { type Step, stepOf } from '../step.ts'
import { type EndedStep, succeeded } from '../step-end.ts'
import { isSettledHere } from './candidate.ts'
import { type Claim, draftOf } from './claim.ts'
import { Bail, type GeneratorContext } from './context.ts'
import { needs } from './destroying.ts'
import type { Goal } from './goal.ts'
import { carriedOn } from './replayed.ts'
import { isIncluded } from './scope.ts'
import type { CurrentState } from './sets.ts'
import { skipCreate } from './untargeted.ts'

/**
 * The claim with its old state as it is read now, where a refresh goes by the program: what was
 * read has the options of the goal already, so that a change of these alone, of its provider too,
 * is no difference any more. The read is a decision of its own: a later life finds it, and goes on
 * from its end. `isDeleted`: whether a replacement elsewhere deleted it first. Source:
 * docs/spec/step-generation.md#pipeline.
 */
export async function refreshedFirst(
  ctx: GeneratorContext,
  goal: Goal,
  claim: Claim,
  isDeleted: (urn: Urn) => Promise<boolean>,
): Promise<Claim> {
  const { old, index, urn } = claim
  if (ctx.refreshing === undefined || old === undefined || index === undefined) return claim
  if (!isIncluded(ctx, old.state)) return claim
  ctx.sets.operated.add(urn)
  const next = draftOf(goal, claim)
  // Of components and providers nothing is read, and nothing is told.
  if (isSettledHere(next)) return claim
  const { outputsOnly } = ctx
  const step = stepOf({ op: 'refresh', effect: 'replace', old, next, outputsOnly })
  const recorded = ctx.replay?.refreshOf(urn)
  if (recorded === undefined) {
    const isUnread = isSettledHere(old.state) || old.state.pendingReplacement
    if (isUnread || (await isDeleted(urn))) {
      tellStep(ctx.emitter, step, succeeded(step.old?.state, 'same'))
      return claim
    }
  }
  const ended =
    ctx.replay !== undefined && recorded !== undefined
      ? await carriedOn(ctx, ctx.replay, recorded)
      : await readNow(ctx, goal, claim, step)
  const [made] = ended
  if (made?.end.verdict !== 'succeeded') {
    // Nothing can be decided about what nobody knows: it ends even where errors do not.
    ctx.noteFailure()
    ctx.abort()
    throw new Bail()
  }
  const now = made.tracked === undefined ? undefined : { ...made.tracked, standsFor: index }
  ctx.sets.refreshed.set(index, now)
  return { ...claim, old: now }
}

function readNow(
  ctx: GeneratorContext,
  goal: Goal,
  { urn, alias }: Claim,
  step: Step,
): Promise<readonly EndedStep[]> {
  if (ctx.isAborted()) throw new Bail()
  const sets = alias === undefined ? {} : { aliased: [[alias, urn] as const] }
  return ctx.runner.run({ urn, goal: ctx.digestOf(goal), steps: [step], sets })
}

/**
 * What a refresh that runs its program makes of a registration: resources are what was read of
 * them, and none is made. Undefined for components and providers, which are decided about as
 * always, unless they need what is not made. Source:
 * docs/spec/step-generation.md#after-the-refresh.
 */
export function leftAsRead(
  ctx: GeneratorContext,
  goal: Goal,
  claim: Claim,
): CurrentState | undefined {
  if (ctx.refreshing !== 'only') return undefined
  const draft = draftOf(goal, claim)
  const isBlocked = needs(draft).some(urn => ctx.sets.skipped.has(urn))
  if (!isBlocked && (!goal.custom || isProviderType(goal.type))) return undefined
  const { old, urn } = claim
  if (old === undefined) {
    ctx.sets.operated.add(urn)
    return skipCreate(ctx, draft)
  }
  const current: CurrentState = { ...old, op: 'refresh', passedOver: 'as read' }
  // What was not read keeps its name: that is what the program is told.
  ctx.sets.current.set(old.state.urn, current)
  ctx.sets.current.set(urn, current)
  return current
}
