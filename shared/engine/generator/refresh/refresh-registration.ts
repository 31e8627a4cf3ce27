import { emitStep } from '../../events/emit-step.ts'
import { type Step, stepOf } from '../../step.ts'
import { type EndedStep, successEndOf } from '../../step-end.ts'
import type { GeneratorContext } from '../context.ts'
import { isDeletedByReplacement } from '../deletion/is-deleted-by-replacement.ts'
import { isSettledByGenerator } from '../registration/checked-registration.ts'
import { type UrnAssignment, draftStateOf } from '../registration/assign-urn.ts'
import type { Goal } from '../registration/goal.ts'
import { resumeRecorded } from '../replay/resume-recorded.ts'
import { toDecided, type Result, stoppedResult } from '../stage.ts'
import { isIncluded } from '../targets/scope.ts'

/**
 * Reads the old state of a registration before its decision, in a deployment that refreshes while
 * its program runs. The read state already has the options of the goal, so that a change of options
 * or provider alone is not a difference. The read is recorded as a decision of its own, and a later
 * generator run continues from its end. Source: docs/spec/step-generation.md#pipeline.
 */
export async function refreshRegistration(
  ctx: GeneratorContext,
  goal: Goal,
  assignment: UrnAssignment,
): Promise<Result<UrnAssignment>> {
  const { input, ports } = ctx
  const { old, baseIndex, urn } = assignment
  if (input.programRefreshMode === undefined || old === undefined || baseIndex === undefined)
    return toDecided(assignment)
  if (!isIncluded(input, old.state)) return toDecided(assignment)
  ctx.apply({ handledUrns: [urn] })
  const next = draftStateOf(goal, assignment)
  // Components and providers are not read, and no event shows a refresh of them.
  if (isSettledByGenerator(next)) return toDecided(assignment)
  const { outputsOnly } = input
  const step = stepOf({ op: 'refresh', effect: 'replace', old, next, outputsOnly })
  const recordedRefresh = ports.replay?.refreshOf(urn)
  if (recordedRefresh === undefined) {
    const isNeverRead = isSettledByGenerator(old.state) || old.state.pendingReplacement
    const mustSkipResult = isNeverRead ? toDecided(true) : await isDeletedByReplacement(ctx, urn)
    if (mustSkipResult.kind === 'failed') return mustSkipResult
    if (mustSkipResult.value) {
      emitStep(ports.emitter, step, successEndOf(step.old?.state, 'same'))
      return toDecided(assignment)
    }
    if (ports.isAborted()) return stoppedResult
  }
  const endedSteps =
    ports.replay !== undefined && recordedRefresh !== undefined
      ? await resumeRecorded(ctx, ports.replay, recordedRefresh)
      : await runRefresh(ctx, { goal, assignment, step })
  return toRefreshedAssignment(assignment, baseIndex, endedSteps[0])
}

function runRefresh(
  { ports }: GeneratorContext,
  {
    goal,
    assignment,
    step,
  }: { readonly goal: Goal; readonly assignment: UrnAssignment; readonly step: Step },
): Promise<readonly EndedStep[]> {
  const { urn, alias } = assignment
  const setsDelta = alias === undefined ? {} : { aliased: [[alias, urn] as const] }
  return ports.runner.run({ urn, goalDigest: ports.goalDigestOf(goal), steps: [step], setsDelta })
}

/**
 * Returns the assignment with the read state. A failed read ends the deployment even with
 * `--continue-on-error`, because the state is unknown.
 */
function toRefreshedAssignment(
  assignment: UrnAssignment,
  baseIndex: number,
  endedRead: EndedStep | undefined,
): Result<UrnAssignment> {
  if (endedRead?.end.verdict !== 'succeeded') return stoppedResult
  const refreshedState =
    endedRead.trackedState === undefined
      ? undefined
      : { ...endedRead.trackedState, refreshedIndex: baseIndex }
  return toDecided(
    { ...assignment, old: refreshedState },
    { refreshed: [[baseIndex, refreshedState]] },
  )
}
