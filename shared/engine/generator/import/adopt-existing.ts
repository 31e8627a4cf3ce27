import { isProviderType } from '../../../names/provider-reference.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { isImport, type Step, stepOf } from '../../step.ts'
import type { EndedStep } from '../../step-end.ts'
import { Bail, bail, failRegistration, type GeneratorContext } from '../context.ts'
import { type UrnClaim, draftStateOf } from '../registration/claim-urn.ts'
import { createDriver } from '../providers/resource-driver.ts'
import type { Goal } from '../registration/goal.ts'
import { applyStepEnds } from '../steps/apply-step-ends.ts'
import { resumeRecorded } from '../replay/replay-registration.ts'

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
export async function adoptExisting(
  ctx: GeneratorContext,
  goal: Goal,
  claim: UrnClaim,
): Promise<UrnClaim> {
  if (!isAdoption(goal, claim.old?.state)) return claim
  if (isProviderType(goal.type)) bail(ctx, 'provider resources may not be read', claim.urn)
  const ended = (await resumeImport(ctx, claim)) ?? (await runImport(ctx, goal, claim))
  const { tracked, step } = ended
  if (tracked === undefined || ended.end.verdict !== 'succeeded') return failRegistration(ctx)
  const imported = { ...tracked, op: step.op }
  return { ...claim, old: tracked, index: undefined, imported }
}

/** The import that an earlier life recorded, if it took place. */
async function resumeImport(
  ctx: GeneratorContext,
  { urn }: UrnClaim,
): Promise<EndedStep | undefined> {
  const { replay } = ctx
  const recorded = replay?.importOf(urn)
  if (replay === undefined || recorded === undefined) return undefined
  const [made] = await resumeRecorded(ctx, replay, recorded)
  return made?.end.verdict === 'succeeded' ? made : undefined
}

async function runImport(ctx: GeneratorContext, goal: Goal, claim: UrnClaim): Promise<EndedStep> {
  const draft = draftStateOf(goal, claim)
  // A provider that cannot be had ends it before anything is recorded.
  await createDriver(ctx, draft)
  if (ctx.isAborted()) throw new Bail()
  const { sets } = ctx
  const isReplaced = claim.old !== undefined && !sets.deletes.has(claim.old.state.urn)
  const steps = isReplaced ? createImportReplacementSteps(claim, draft) : [createImportStep(draft)]
  // The program wants it, so that it is not deleted even where the import fails.
  sets.operated.add(claim.urn)
  const delta = claim.alias === undefined ? {} : { aliased: [[claim.alias, claim.urn] as const] }
  const digest = ctx.goalDigestOf(goal)
  const ended = await ctx.runner.run({ urn: claim.urn, goal: digest, steps, sets: delta })
  applyStepEnds(sets, steps, ended)
  const made = ended.find(({ step }) => isImport(step.op))
  return made ?? failRegistration(ctx)
}

function createImportStep(next: ResourceState): Step {
  return stepOf({ op: 'import', effect: 'add', next: { ...next, ...unread } })
}

function createImportReplacementSteps({ old }: UrnClaim, draft: ResourceState): readonly Step[] {
  if (old === undefined) throw new TypeError('only what exists is replaced')
  const next = { ...draft, ...unread }
  return [
    stepOf({ op: 'import-replacement', effect: 'add-mark', old, next }),
    stepOf({ op: 'replace', effect: 'none', old, next }),
  ]
}

/** What only the read can say. */
const unread = { created: '', modified: '', refreshBeforeUpdate: false }
