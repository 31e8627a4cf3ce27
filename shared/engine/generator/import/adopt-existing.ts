import { isProviderType } from '../../../names/provider-reference.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { isImport, type Step, stepOf } from '../../step.ts'
import type { EndedStep } from '../../step-end.ts'
import type { GeneratorContext } from '../context.ts'
import { type UrnClaim, draftStateOf } from '../registration/claim-urn.ts'
import { createDriver } from '../providers/resource-driver.ts'
import type { Goal } from '../registration/goal.ts'
import { resumeRecorded } from '../replay/resume-recorded.ts'
import { decided, failDeployment, failStep, type Result, stopped } from '../stage.ts'
import { createStepEndsDelta } from '../steps/step-ends-delta.ts'

/**
 * Reports whether a goal imports another id than the state has. `importID`, the id of an earlier
 * import, takes precedence over `id`. Source: docs/spec/step-generation.md#after-the-refresh.
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
 * Imports the existing resource that a goal names. The imported state becomes the old state, and
 * the next stages compare the goal with it. The import has its own record: a later generator that
 * finds it does not import again.
 */
export async function adoptExisting(
  ctx: GeneratorContext,
  goal: Goal,
  claim: UrnClaim,
): Promise<Result<UrnClaim>> {
  if (!isAdoption(goal, claim.old?.state)) return decided(claim)
  if (isProviderType(goal.type))
    return failDeployment('provider resources may not be read', claim.urn)
  const resumed = await resumeImport(ctx, claim)
  const ended = resumed === undefined ? await runImport(ctx, goal, claim) : decided(resumed)
  if (ended.kind === 'failed') return ended
  const { tracked, step, end } = ended.value
  if (tracked === undefined || end.verdict !== 'succeeded') return failStep(ctx.input)
  const imported = { ...tracked, op: step.op }
  return decided({ ...claim, old: tracked, index: undefined, imported })
}

/** Returns the successful import that an earlier generator recorded, if there is one. */
async function resumeImport(
  ctx: GeneratorContext,
  { urn }: UrnClaim,
): Promise<EndedStep | undefined> {
  const { replay } = ctx.ports
  const recorded = replay?.importOf(urn)
  if (replay === undefined || recorded === undefined) return undefined
  const [made] = await resumeRecorded(ctx, replay, recorded)
  return made?.end.verdict === 'succeeded' ? made : undefined
}

async function runImport(
  ctx: GeneratorContext,
  goal: Goal,
  claim: UrnClaim,
): Promise<Result<EndedStep>> {
  const { input, ports } = ctx
  const draft = draftStateOf(goal, claim)
  // A missing provider ends the deployment before anything is recorded.
  const loaded = await createDriver(ctx, draft)
  if (loaded.kind === 'failed') return loaded
  if (ports.isAborted()) return stopped
  const isReplaced = claim.old !== undefined && !input.sets.deletes.has(claim.old.state.urn)
  const steps = isReplaced ? createImportReplacementSteps(claim, draft) : [createImportStep(draft)]
  // The program registers the resource, so a failed import must not lead to its delete.
  ctx.apply({ operated: [claim.urn] })
  const sets = claim.alias === undefined ? {} : { aliased: [[claim.alias, claim.urn] as const] }
  const digest = ports.goalDigestOf(goal)
  const ended = await ports.runner.run({ urn: claim.urn, goal: digest, steps, sets })
  ctx.apply(createStepEndsDelta(steps, ended))
  const made = ended.find(({ step }) => isImport(step.op))
  return made === undefined ? failStep(input) : decided(made)
}

function createImportStep(next: ResourceState): Step {
  return stepOf({ op: 'import', effect: 'add', next: { ...next, ...emptyUntilRead } })
}

function createImportReplacementSteps({ old }: UrnClaim, draft: ResourceState): readonly Step[] {
  if (old === undefined) throw new TypeError('only an existing resource is replaced')
  const next = { ...draft, ...emptyUntilRead }
  return [
    stepOf({ op: 'import-replacement', effect: 'add-mark', old, next }),
    stepOf({ op: 'replace', effect: 'none', old, next }),
  ]
}

/** Fields that are empty until the import reads the resource. */
const emptyUntilRead = { created: '', modified: '', refreshBeforeUpdate: false }
