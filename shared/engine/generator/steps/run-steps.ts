import {
  isProviderType,
  providerReferenceOf,
  unknownStringMarker,
} from '../../../names/provider-reference.ts'
import type { RecordedSetsDelta } from '../../../records/log.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { areEqualResources } from '../../../state/equal-resources.ts'
import { emptyMap } from '../../../values/value.ts'
import { withoutEngineValues } from '../../../providers/provider-inputs.ts'
import { markSecretOutputs } from '../../secret-outputs.ts'
import type { Step } from '../../step.ts'
import { type EndedStep, failureEndOf, successEndOf } from '../../step-end.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { toDecided, failStep, type Result, stoppedResult } from '../stage.ts'
import {
  type CheckedRegistration,
  isSettledByGenerator,
} from '../registration/checked-registration.ts'
import { createStepEndsDelta } from './step-ends-delta.ts'
import { emitSameViews } from './same-views.ts'
import { runAfterHooks, runBeforeHooks } from './settled-hooks.ts'
import type { CurrentState } from '../sets.ts'

/** Runs the steps of a registration, and returns the resource with its resulting state. */
export async function runSteps(
  ctx: GeneratorContext,
  registration: CheckedRegistration,
  steps: readonly Step[],
): Promise<Result<CurrentState>> {
  if (ctx.ports.isAborted()) return stoppedResult
  const lastStep = steps.findLast(step => step.op !== 'replace')
  if (lastStep === undefined) throw new TypeError('the registration has no step to run')
  const { imported } = registration.assignment
  // If a resource was imported by this registration and equals its goal, it needs no further step.
  const result =
    lastStep.op !== 'same'
      ? await runChange(ctx, registration, steps)
      : toDecided(imported ?? (await settleSame(ctx, registration, lastStep)))
  if (result.kind === 'failed') return result
  const current = result.value
  ctx.apply({ currentStates: [[current.state.urn, current]] })
  ctx.ports.updatePlan.draft?.recordOutputs(current.state.urn, current.state.outputs)
  return result
}

/**
 * Settles an unchanged resource. Writes a record only when a stored field differs from the old
 * state.
 */
async function settleSame(
  ctx: GeneratorContext,
  registration: CheckedRegistration,
  step: Step,
): Promise<CurrentState> {
  const { emitter, runner } = ctx.ports
  const { next, old } = step
  if (next === undefined || old === undefined)
    throw new TypeError('the same step lacks its old or its new state')
  const state = markSecretOutputs(next, () => undefined)
  emitter.emitBegin(step)
  ctx.ports.forecast?.addChain([step])
  await ensureProviderConfigured(ctx, state, old.state.inputs)
  const isUnchanged = areEqualResources(old.state, state)
  const trackedState = isUnchanged
    ? old
    : await runner.settle({ step, state, ...decisionRecordOf(ctx, registration, [step]) })
  const end = successEndOf(trackedState.state)
  emitter.emitEnd(step, end)
  emitter.count(step, end)
  emitSameViews(ctx, old.state)
  return { ...trackedState, op: 'same' }
}

/**
 * Configures a provider resource, unless its provider is already configured. A second configuration
 * would end the instance that other operations use. Other resources are ignored.
 */
export async function ensureProviderConfigured(
  { ports }: Pick<GeneratorContext, 'ports'>,
  state: ResourceState,
  inputs: ResourceState['inputs'],
): Promise<void> {
  if (!isProviderType(state.type)) return
  if (ports.providers.isRegistered(providerReferenceOf(state.urn, state.id))) return
  await ports.providers.configure(state.urn, state.id, inputs)
}

async function runChange(
  ctx: GeneratorContext,
  registration: CheckedRegistration,
  steps: readonly Step[],
): Promise<Result<CurrentState>> {
  const endedSteps: EndedStep[] = []
  let batchesResult: Result<void>
  try {
    batchesResult = await runBatches(ctx, registration, steps, endedSteps)
  } finally {
    ctx.apply(createStepEndsDelta(steps, endedSteps))
  }
  if (batchesResult.kind === 'failed') return batchesResult
  const endedStep = endedSteps.findLast(({ step }) => step.op !== 'replace')
  if (endedStep?.trackedState === undefined) return failStep(ctx.input)
  return toDecided({ ...endedStep.trackedState, op: endedStep.step.op })
}

/** Runs batches one after another until a step does not succeed. Collects the ends. */
async function runBatches(
  ctx: GeneratorContext,
  registration: CheckedRegistration,
  steps: readonly Step[],
  endedSteps: EndedStep[],
): Promise<Result<void>> {
  for (const batch of groupIntoBatches(steps)) {
    const ends =
      isSettledByGenerator(batch[0]?.next ?? registration.next) &&
      batch[0]?.op.startsWith('delete') !== true
        ? [await settleChange(ctx, registration, steps, batch[0])]
        : await ctx.ports.runner.run({
            urn: registration.assignment.urn,
            steps: batch,
            ...decisionRecordOf(ctx, registration, steps),
          })
    endedSteps.push(...ends)
    // Only a user can resolve the operation of a dead executor, so the other resources continue. A
    // connection that broke under a living executor is an error of the plugin, as in Pulumi.
    const isExecutorGone = ends.some(end => end.isExecutorGone === true)
    if (ends.some(({ end }) => end.verdict !== 'succeeded'))
      return failStep(ctx.input, isExecutorGone)
  }
  return toDecided(undefined)
}

/** Returns the goal digest and the delta of the sets that are recorded with the steps. */
function decisionRecordOf(
  ctx: GeneratorContext,
  registration: CheckedRegistration,
  steps: readonly Step[],
): { readonly goalDigest: string; readonly setsDelta: RecordedSetsDelta } {
  return {
    goalDigest: ctx.ports.goalDigestOf(registration.goal),
    setsDelta: recordedSetsDeltaOf(ctx.input, registration, steps),
  }
}

/**
 * Returns the delta that is recorded with a decision. Later generator runs restore their sets from
 * this delta.
 */
function recordedSetsDeltaOf(
  { sets }: Pick<DecisionInput, 'sets'>,
  registration: CheckedRegistration,
  steps: readonly Step[],
): RecordedSetsDelta {
  const { urn, alias } = registration.assignment
  const deletedUrns = steps.filter(step => step.effect === 'mark-pending').map(step => step.urn)
  const dependentKeys = deletedUrns.flatMap(deletedUrn => {
    const keys = sets.dependentKeys.get(deletedUrn)
    return keys === undefined ? [] : [[deletedUrn, keys] as const]
  })
  return {
    ...(alias === undefined ? {} : { aliased: [[alias, urn] as const] }),
    ...(deletedUrns.length === 0 ? {} : { deleted: deletedUrns }),
    ...(dependentKeys.length === 0 ? {} : { dependentKeys }),
    ...(sets.replacedUrns.has(urn) ? { replaced: [urn] } : {}),
    ...(sets.targetedUrns.has(urn) ? { targeted: [urn] } : {}),
  }
}

/**
 * Groups the steps of a registration into batches. For a component or provider, the deletes are the
 * first batch, and each other step is a batch of its own. For other resources, all steps are one
 * batch.
 */
function groupIntoBatches(steps: readonly Step[]): readonly (readonly Step[])[] {
  const isSettled = steps.some(step => step.next !== undefined && isSettledByGenerator(step.next))
  if (!isSettled) return [steps]
  const deletes = steps.filter(step => step.next === undefined)
  const changes = steps.filter(step => step.next !== undefined)
  return [...(deletes.length > 0 ? [deletes] : []), ...changes.map(step => [step])]
}

/** Settles the create, update or replacement of a component or provider, without an executor. */
async function settleChange(
  ctx: GeneratorContext,
  registration: CheckedRegistration,
  steps: readonly Step[],
  step: Step | undefined,
): Promise<EndedStep> {
  if (step?.next === undefined) throw new TypeError('the change has no planned state')
  ctx.ports.emitter.emitBegin(step)
  ctx.ports.forecast?.addChain([step])
  if (step.op === 'replace') {
    const end = successEndOf(step.next)
    ctx.ports.emitter.emitEnd(step, end)
    ctx.ports.emitter.count(step, end)
    return { step, end, trackedState: undefined }
  }
  const hookError = await runBeforeHooks(ctx, step)
  if (hookError !== undefined) {
    const end = failureEndOf({ message: hookError, status: 'ok' })
    ctx.ports.emitter.emitEnd(step, end)
    return { step, end, trackedState: undefined }
  }
  const state = markSecretOutputs(await computeSettledState(ctx, step, step.next), () => undefined)
  const trackedState = await ctx.ports.runner.settle({
    step,
    state,
    ...decisionRecordOf(ctx, registration, steps),
  })
  await runAfterHooks(ctx, step, trackedState.state)
  const end = successEndOf(trackedState.state)
  ctx.ports.emitter.emitEnd(step, end)
  ctx.ports.emitter.count(step, end)
  return { step, end, trackedState }
}

async function computeSettledState(
  ctx: GeneratorContext,
  step: Step,
  next: ResourceState,
): Promise<ResourceState> {
  const timestamp = ctx.ports.timestamp()
  const isUpdate = step.op === 'update'
  const times = ctx.input.isPreview
    ? {}
    : isUpdate
      ? { modified: timestamp }
      : { created: timestamp, modified: timestamp }
  // An update of a component does not change its times, because it changes nothing in the cloud.
  if (!isProviderType(next.type)) return { ...next, outputs: emptyMap, ...(isUpdate ? {} : times) }
  const id = isUpdate
    ? (step.old?.state.id ?? '')
    : ctx.input.isPreview
      ? unknownStringMarker
      : ctx.ports.uuid()
  await ctx.ports.providers.configure(next.urn, id, next.inputs)
  return { ...next, id, outputs: withoutEngineValues(next.inputs), ...times }
}
