import { isProviderType } from '../../../names/provider-reference.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { isImport, type Step, stepOf } from '../../step.ts'
import type { EndedStep } from '../../step-end.ts'
import type { GeneratorContext } from '../context.ts'
import { type UrnAssignment, draftStateOf } from '../registration/assign-urn.ts'
import { createDriver } from '../providers/resource-driver.ts'
import type { Goal } from '../registration/goal.ts'
import { resumeRecorded } from '../replay/resume-recorded.ts'
import { toDecided, failDeployment, failStep, type Result, stoppedResult } from '../stage.ts'
import { createStepEndsDelta } from '../steps/step-ends-delta.ts'

/**
 * Reports whether a goal imports a resource that the state does not manage under the `importId` of
 * the goal. In this case the state has no such resource, an external one, or one with another id.
 * In the state, the id of an earlier import (`importID`) takes precedence over `id`. Source:
 * docs/spec/step-generation.md#after-the-refresh.
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
 * Imports the existing resource whose id a goal contains. The imported state becomes the old state,
 * and the next stages compare the goal with it. The import has a record of its own, so that later
 * generator runs do not repeat it.
 */
export async function adoptExisting(
  ctx: GeneratorContext,
  goal: Goal,
  assignment: UrnAssignment,
): Promise<Result<UrnAssignment>> {
  if (!isAdoption(goal, assignment.old?.state)) return toDecided(assignment)
  if (isProviderType(goal.type))
    return failDeployment('provider resources may not be read', assignment.urn)
  const recordedImport = await resumeImport(ctx, assignment)
  const importResult =
    recordedImport === undefined
      ? await runImport(ctx, goal, assignment)
      : toDecided(recordedImport)
  if (importResult.kind === 'failed') return importResult
  const { trackedState, step, end } = importResult.value
  if (trackedState === undefined || end.verdict !== 'succeeded') return failStep(ctx.input)
  const imported = { ...trackedState, op: step.op }
  return toDecided({ ...assignment, old: trackedState, baseIndex: undefined, imported })
}

/**
 * Waits for the end of the import that an earlier generator run recorded, and returns the ended
 * step. Undefined if there is no such import or it did not succeed.
 */
async function resumeImport(
  ctx: GeneratorContext,
  { urn }: UrnAssignment,
): Promise<EndedStep | undefined> {
  const { replay } = ctx.ports
  const recordedDecision = replay?.importOf(urn)
  if (replay === undefined || recordedDecision === undefined) return undefined
  const [endedImport] = await resumeRecorded(ctx, replay, recordedDecision)
  return endedImport?.end.verdict === 'succeeded' ? endedImport : undefined
}

async function runImport(
  ctx: GeneratorContext,
  goal: Goal,
  assignment: UrnAssignment,
): Promise<Result<EndedStep>> {
  const { input, ports } = ctx
  const draft = draftStateOf(goal, assignment)
  // A missing provider ends the deployment before anything is recorded.
  const driverResult = await createDriver(ctx, draft)
  if (driverResult.kind === 'failed') return driverResult
  if (ports.isAborted()) return stoppedResult
  const isReplaced =
    assignment.old !== undefined && !input.sets.deletedUrns.has(assignment.old.state.urn)
  const steps = isReplaced
    ? createImportReplacementSteps(assignment, draft)
    : [createImportStep(draft)]
  // The program registers the resource, so the old resource must not be deleted after a failed
  // import.
  ctx.apply({ handledUrns: [assignment.urn] })
  const setsDelta =
    assignment.alias === undefined ? {} : { aliased: [[assignment.alias, assignment.urn] as const] }
  const digest = ports.goalDigestOf(goal)
  const endedSteps = await ports.runner.run({
    urn: assignment.urn,
    goalDigest: digest,
    steps,
    setsDelta,
  })
  ctx.apply(createStepEndsDelta(steps, endedSteps))
  const endedImport = endedSteps.find(({ step }) => isImport(step.op))
  return endedImport === undefined ? failStep(input) : toDecided(endedImport)
}

function createImportStep(next: ResourceState): Step {
  return stepOf({ op: 'import', effect: 'add', next: { ...next, ...unreadFields } })
}

function createImportReplacementSteps(
  { old }: UrnAssignment,
  draft: ResourceState,
): readonly Step[] {
  if (old === undefined) throw new TypeError('the resource to replace has no old state')
  const next = { ...draft, ...unreadFields }
  return [
    stepOf({ op: 'import-replacement', effect: 'add-mark', old, next }),
    stepOf({ op: 'replace', effect: 'none', old, next }),
  ]
}

/** Fields that are empty until the import reads the resource. */
const unreadFields = { created: '', modified: '', refreshBeforeUpdate: false }
