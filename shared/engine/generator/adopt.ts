import { isProviderType } from '../../names/provider-reference.ts'
import type { ResourceState } from '../../state/resource.ts'
import { isImport, type Step, stepOf } from '../step.ts'
import type { EndedStep } from '../step-end.ts'
import { Bail, bail, failRegistration, type GeneratorContext } from './context.ts'
import { type Claim, draftOf } from './claim.ts'
import { driverFor } from './driver.ts'
import type { Goal } from './goal.ts'
import { noteEnds } from './note-ends.ts'
import { carriedOn } from './replayed.ts'

/**
 * Whether a goal names something else than what the state has: an id that it was imported under
 * counts before its own. Source: docs/spec/step-generation.md#after-the-refresh.
 */
export function isAdoption(
  goal: Pick<Goal, 'custom' | 'importId'>,
  old: Pick<ResourceState, 'external' | 'id' | 'importID'> | undefined,
): boolean {
  if (!goal.custom || goal.importId === '') return false
  if (old === undefined || old.external) return true
  return (old.importID === '' ? old.id : old.importID) !== goal.importId
}

/**
 * The claim, with what its goal names imported as its old state where there is something to import:
 * the goal is compared with that. The import is a decision of its own: a later life finds it, and
 * goes on from its end.
 */
export async function adopted(ctx: GeneratorContext, goal: Goal, claim: Claim): Promise<Claim> {
  if (!isAdoption(goal, claim.old?.state)) return claim
  if (isProviderType(goal.type)) bail(ctx, 'provider resources may not be read', claim.urn)
  const made = (await recordedImport(ctx, claim)) ?? (await importNow(ctx, goal, claim))
  const { tracked, step } = made
  if (tracked === undefined || made.end.verdict !== 'succeeded') return failRegistration(ctx)
  const imported = { ...tracked, op: step.op }
  return { ...claim, old: tracked, index: undefined, imported }
}

/** The import that an earlier life recorded, if it took place. */
async function recordedImport(
  ctx: GeneratorContext,
  { urn }: Claim,
): Promise<EndedStep | undefined> {
  const { replay } = ctx
  const recorded = replay?.importOf(urn)
  if (replay === undefined || recorded === undefined) return undefined
  const [made] = await carriedOn(ctx, replay, recorded)
  return made?.end.verdict === 'succeeded' ? made : undefined
}

async function importNow(ctx: GeneratorContext, goal: Goal, claim: Claim): Promise<EndedStep> {
  const draft = draftOf(goal, claim)
  // A provider that cannot be had ends it before anything is recorded.
  await driverFor(ctx, draft)
  if (ctx.isAborted()) throw new Bail()
  const { sets } = ctx
  const isReplaced = claim.old !== undefined && !sets.deletes.has(claim.old.state.urn)
  const steps = isReplaced ? replacing(claim, draft) : [adopting(draft)]
  // The program wants it, so that it is not deleted even where the import fails.
  sets.operated.add(claim.urn)
  const delta = claim.alias === undefined ? {} : { aliased: [[claim.alias, claim.urn] as const] }
  const digest = ctx.digestOf(goal)
  const ended = await ctx.runner.run({ urn: claim.urn, goal: digest, steps, sets: delta })
  noteEnds(sets, steps, ended)
  const made = ended.find(({ step }) => isImport(step.op))
  return made ?? failRegistration(ctx)
}

function adopting(next: ResourceState): Step {
  return stepOf({ op: 'import', effect: 'add', next: { ...next, ...unread } })
}

function replacing({ old }: Claim, draft: ResourceState): readonly Step[] {
  if (old === undefined) throw new TypeError('only what exists is replaced')
  const next = { ...draft, ...unread }
  return [
    stepOf({ op: 'import-replacement', effect: 'add-mark', old, next }),
    stepOf({ op: 'replace', effect: 'none', old, next }),
  ]
}

/** What only the read can say. */
const unread = { created: '', modified: '', refreshBeforeUpdate: false }
