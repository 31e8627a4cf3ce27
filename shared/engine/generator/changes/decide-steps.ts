import type { ResourceState } from '../../../state/resource.ts'
import { type Step, stepOf, type TrackedState } from '../../step.ts'
import type { GeneratorContext } from '../context.ts'
import { isDeletedElsewhere } from '../deletion/is-deleted-elsewhere.ts'
import { finishStage } from '../finish-stage.ts'
import { type Candidate, createReplacedDelta } from '../registration/candidate.ts'
import { decided, type Decided, type Result, stopped } from '../stage.ts'
import { createScopeDelta } from '../targets/scope.ts'
import { decideChange } from './decide-change.ts'
import { computeDifference, type Difference } from './difference.ts'
import { oldOutputsOf } from './old-outputs.ts'
import { planReplacement } from './plan-replacement.ts'

/**
 * Decides the steps of a checked registration. The difference is computed outside the turn, the
 * decision is made inside it. Source: docs/spec/step-generation.md#diff-decision.
 */
export async function decideSteps(
  ctx: GeneratorContext,
  candidate: Candidate,
): Promise<Result<readonly Step[]>> {
  const { input, ports } = ctx
  const { claim, next } = candidate
  const { old } = claim
  if (old === undefined) {
    const create = stepOf({ op: 'create', effect: 'add', next })
    return decided([create], createScopeDelta(input, next, true))
  }
  const deleted = await isDeletedElsewhere(ctx, old.state.urn)
  if (deleted.kind === 'failed') return deleted
  if (deleted.value) return decideRecreate(ctx, candidate, old)
  if (old.state.external) return replaceExternal(candidate, old)
  ctx.apply(createScopeDelta(input, next, true))
  const computed = await computeDifference(ctx, candidate, old.state)
  if (computed.kind === 'failed') return finishStage(ctx, computed)
  return ports.decideInTurn(async () =>
    finishStage(ctx, await decideDifference(ctx, candidate, { old, ...computed.value })),
  )
}

async function decideDifference(
  ctx: GeneratorContext,
  candidate: Candidate,
  { old, diff, triggered }: Difference & { readonly old: TrackedState },
): Promise<Result<readonly Step[]>> {
  if (ctx.ports.isAborted()) return stopped
  const { goal, claim, next } = candidate
  // Another replacement may have deleted it while its difference was computed.
  const deleted = await isDeletedElsewhere(ctx, old.state.urn)
  if (deleted.kind === 'failed') return deleted
  if (deleted.value) return decideRecreate(ctx, candidate, old)
  const options = { replaceOnChanges: goal.replaceOnChanges, triggered }
  const verdict = decideChange(old.state, diff, options)
  if (verdict.kind === 'replace') return planReplacement(ctx, candidate, verdict)
  const operated = { operated: [claim.urn] }
  if (verdict.kind === 'update') {
    const { reason } = verdict
    return decided([stepOf({ op: 'update', effect: 'replace', old, next, reason })], operated)
  }
  const unchanged = keepProviderValues(next, old.state)
  return decided([stepOf({ op: 'same', effect: 'replace', old, next: unchanged })], operated)
}

/** Returns the state of an unchanged resource: it keeps the values that only a provider can set. */
function keepProviderValues(next: ResourceState, old: ResourceState): ResourceState {
  return { ...next, id: old.id, outputs: oldOutputsOf(old), initErrors: old.initErrors }
}

/** The create of a resource that another replacement deleted first. */
function decideRecreate(
  { input }: GeneratorContext,
  { claim, next }: Candidate,
  old: TrackedState,
): Decided<readonly Step[]> {
  const oldUrn = old.state.urn
  const keys = input.sets.dependentKeys.get(oldUrn) ?? []
  const reason = { keys, diffs: [], detailedDiff: null }
  const steps = [
    stepOf({ op: 'replace', effect: 'none', old, next, reason }),
    stepOf({ op: 'create-replacement', effect: 'replace', old, next, reason }),
  ]
  return decided(steps, { ...createReplacedDelta(claim), removed: { deleted: [oldUrn] } })
}

/** The create of a resource that was only read until now. */
function replaceExternal({ claim, next }: Candidate, old: TrackedState): Decided<readonly Step[]> {
  const steps = [
    stepOf({ op: 'create-replacement', effect: 'add-mark', old, next }),
    stepOf({ op: 'replace', effect: 'none', old, next }),
  ]
  return decided(steps, createReplacedDelta(claim))
}
