import { emitStep } from '../../events/emit-step.ts'
import { type Step, stepOf } from '../../step.ts'
import { type EndedStep, successEndOf } from '../../step-end.ts'
import type { GeneratorContext } from '../context.ts'
import { isDeletedElsewhere } from '../deletion/is-deleted-elsewhere.ts'
import { isSettledByGenerator } from '../registration/candidate.ts'
import { type UrnClaim, draftStateOf } from '../registration/claim-urn.ts'
import type { Goal } from '../registration/goal.ts'
import { resumeRecorded } from '../replay/resume-recorded.ts'
import { decided, type Result, stopped } from '../stage.ts'
import { isIncluded } from '../targets/scope.ts'

/**
 * Reads the old state of a registration before it is decided, where a refresh runs the program. The
 * read state has the options of the goal already, so that a change of options or provider alone is
 * no difference. The read is a decision of its own: a later generator continues from its end.
 * Source: docs/spec/step-generation.md#pipeline.
 */
export async function refreshRegistration(
  ctx: GeneratorContext,
  goal: Goal,
  claim: UrnClaim,
): Promise<Result<UrnClaim>> {
  const { input, ports } = ctx
  const { old, index, urn } = claim
  if (input.refreshing === undefined || old === undefined || index === undefined)
    return decided(claim)
  if (!isIncluded(input, old.state)) return decided(claim)
  ctx.apply({ operated: [urn] })
  const next = draftStateOf(goal, claim)
  // Components and providers are not read, and no event shows them.
  if (isSettledByGenerator(next)) return decided(claim)
  const { outputsOnly } = input
  const step = stepOf({ op: 'refresh', effect: 'replace', old, next, outputsOnly })
  const recorded = ports.replay?.refreshOf(urn)
  if (recorded === undefined) {
    const isUnread = isSettledByGenerator(old.state) || old.state.pendingReplacement
    const deleted = isUnread ? decided(true) : await isDeletedElsewhere(ctx, urn)
    if (deleted.kind === 'failed') return deleted
    if (deleted.value) {
      emitStep(ports.emitter, step, successEndOf(step.old?.state, 'same'))
      return decided(claim)
    }
    if (ports.isAborted()) return stopped
  }
  const ended =
    ports.replay !== undefined && recorded !== undefined
      ? await resumeRecorded(ctx, ports.replay, recorded)
      : await runRefresh(ctx, { goal, claim, step })
  return toRefreshedClaim(claim, index, ended[0])
}

function runRefresh(
  { ports }: GeneratorContext,
  { goal, claim, step }: { readonly goal: Goal; readonly claim: UrnClaim; readonly step: Step },
): Promise<readonly EndedStep[]> {
  const { urn, alias } = claim
  const sets = alias === undefined ? {} : { aliased: [[alias, urn] as const] }
  return ports.runner.run({ urn, goal: ports.goalDigestOf(goal), steps: [step], sets })
}

/** A failed read ends the deployment even with `--continue-on-error`: the state is unknown. */
function toRefreshedClaim(
  claim: UrnClaim,
  index: number,
  read: EndedStep | undefined,
): Result<UrnClaim> {
  if (read?.end.verdict !== 'succeeded') return stopped
  const now = read.tracked === undefined ? undefined : { ...read.tracked, refreshedIndex: index }
  return decided({ ...claim, old: now }, { refreshed: [[index, now]] })
}
