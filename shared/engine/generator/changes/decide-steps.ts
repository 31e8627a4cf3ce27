import type { ResourceState } from '../../../state/resource.ts'
import { type Step, stepOf, type TrackedState } from '../../step.ts'
import type { GeneratorContext } from '../context.ts'
import { isDeletedByReplacement } from '../deletion/is-deleted-by-replacement.ts'
import { finishStage } from '../finish-stage.ts'
import {
  type CheckedRegistration,
  createReplacedDelta,
} from '../registration/checked-registration.ts'
import { toDecided, type DecidedResult, type Result, stoppedResult } from '../stage.ts'
import { createScopeDelta } from '../targets/scope.ts'
import { decideChange } from './decide-change.ts'
import { computeDifference, type Difference } from './difference.ts'
import { oldOutputsOf } from './old-outputs.ts'
import { planReplacement } from './plan-replacement.ts'

/**
 * Decides the steps of a checked registration. Differences of several registrations may be computed
 * concurrently, but decisions are made one at a time. Source:
 * docs/spec/step-generation.md#diff-decision.
 */
export async function decideSteps(
  ctx: GeneratorContext,
  registration: CheckedRegistration,
): Promise<Result<readonly Step[]>> {
  const { input, ports } = ctx
  const { assignment, next } = registration
  const { old } = assignment
  if (old === undefined) {
    const create = stepOf({ op: 'create', effect: 'add', next })
    return toDecided([create], createScopeDelta(input, next, true))
  }
  const deletionResult = await isDeletedByReplacement(ctx, old.state.urn)
  if (deletionResult.kind === 'failed') return deletionResult
  if (deletionResult.value) return decideRecreate(ctx, registration, old)
  if (old.state.external) return replaceExternal(registration, old)
  ctx.apply(createScopeDelta(input, next, true))
  const differenceResult = await computeDifference(ctx, registration, old.state)
  if (differenceResult.kind === 'failed') return finishStage(ctx, differenceResult)
  return ports.decideSerially(async () =>
    finishStage(ctx, await decideDifference(ctx, registration, { old, ...differenceResult.value })),
  )
}

async function decideDifference(
  ctx: GeneratorContext,
  registration: CheckedRegistration,
  { old, diff, isTriggered }: Difference & { readonly old: TrackedState },
): Promise<Result<readonly Step[]>> {
  if (ctx.ports.isAborted()) return stoppedResult
  const { goal, assignment, next } = registration
  // Another replacement may have deleted the resource while the difference was computed.
  const deletionResult = await isDeletedByReplacement(ctx, old.state.urn)
  if (deletionResult.kind === 'failed') return deletionResult
  if (deletionResult.value) return decideRecreate(ctx, registration, old)
  const options = { replaceOnChanges: goal.replaceOnChanges, isTriggered }
  const change = decideChange(old.state, diff, options)
  if (change.kind === 'replace') return planReplacement(ctx, registration, change)
  const delta = { handledUrns: [assignment.urn] }
  if (change.kind === 'update') {
    const { reason } = change
    return toDecided([stepOf({ op: 'update', effect: 'replace', old, next, reason })], delta)
  }
  const { upgradedOutputs: outputs = oldOutputsOf(old.state) } = diff
  const unchangedState = keepProviderValues(next, { ...old.state, outputs })
  return toDecided([stepOf({ op: 'same', effect: 'replace', old, next: unchangedState })], delta)
}

/** Returns the state of an unchanged resource: it keeps the values that only a provider can set. */
function keepProviderValues(next: ResourceState, old: ResourceState): ResourceState {
  return { ...next, id: old.id, outputs: old.outputs, initErrors: old.initErrors }
}

/** Decides the create of a resource that was deleted for the replacement of another resource. */
function decideRecreate(
  { input }: GeneratorContext,
  { assignment, next }: CheckedRegistration,
  old: TrackedState,
): DecidedResult<readonly Step[]> {
  const oldUrn = old.state.urn
  const keys = input.sets.dependentKeys.get(oldUrn) ?? []
  const reason = { keys, diffs: [], detailedDiff: null }
  const steps = [
    stepOf({ op: 'replace', effect: 'none', old, next, reason }),
    stepOf({ op: 'create-replacement', effect: 'replace', old, next, reason }),
  ]
  return toDecided(steps, { ...createReplacedDelta(assignment), removed: { deleted: [oldUrn] } })
}

/** Decides the create of a resource that the program only read until now. */
function replaceExternal(
  { assignment, next }: CheckedRegistration,
  old: TrackedState,
): DecidedResult<readonly Step[]> {
  const steps = [
    stepOf({ op: 'create-replacement', effect: 'add-mark', old, next }),
    stepOf({ op: 'replace', effect: 'none', old, next }),
  ]
  return toDecided(steps, createReplacedDelta(assignment))
}
