import { isProviderType, referenceOf, unknownText } from '../../../names/provider-reference.ts'
import type { SetDelta } from '../../../records/log.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { equalResources } from '../../../state/equal.ts'
import { emptyMap } from '../../../values/value.ts'
import { withoutInternal } from '../../../providers/provider-inputs.ts'
import { markSecretOutputs } from '../../secret-outputs.ts'
import type { Step } from '../../step.ts'
import { type EndedStep, failureEndOf, successEndOf } from '../../step-end.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { decided, failStep, type Result, stopped } from '../stage.ts'
import { type Candidate, isSettledByGenerator } from '../registration/candidate.ts'
import { createStepEndsDelta } from './step-ends-delta.ts'
import { emitSameViews } from './same-views.ts'
import { runAfterHooks, runBeforeHooks } from './settled-hooks.ts'
import type { CurrentState } from '../sets.ts'

/** Runs the steps of a registration, and returns the resource as it is then. */
export async function runSteps(
  ctx: GeneratorContext,
  candidate: Candidate,
  steps: readonly Step[],
): Promise<Result<CurrentState>> {
  if (ctx.ports.isAborted()) return stopped
  const last = steps.findLast(step => step.op !== 'replace')
  if (last === undefined) throw new TypeError('a registration has at least one step')
  const { imported } = candidate.claim
  // A resource that was imported just now and has no difference needs no further step.
  const settled =
    last.op !== 'same'
      ? await runChange(ctx, candidate, steps)
      : decided(imported ?? (await settleSame(ctx, candidate, last)))
  if (settled.kind === 'failed') return settled
  const current = settled.value
  ctx.apply({ current: [[current.state.urn, current]] })
  ctx.ports.updatePlan.draft?.recordOutputs(current.state.urn, current.state.outputs)
  return settled
}

/** Settles an unchanged resource: written only when a persisted field differs from the base. */
async function settleSame(
  ctx: GeneratorContext,
  candidate: Candidate,
  step: Step,
): Promise<CurrentState> {
  const { emitter, runner } = ctx.ports
  const { next, old } = step
  if (next === undefined || old === undefined) throw new TypeError('a same has both states')
  const state = markSecretOutputs(next, () => undefined)
  emitter.emitBegin(step)
  await configureUnusedProvider(ctx, state, old.state.inputs)
  const unwritten = equalResources(old.state, state)
  const tracked = unwritten
    ? old
    : await runner.settle({ step, state, ...decisionRecordOf(ctx, candidate, [step]) })
  const end = successEndOf(tracked.state)
  emitter.emitEnd(step, end)
  emitter.count(step, end)
  emitSameViews(ctx, old.state)
  return { ...tracked, op: 'same' }
}

/**
 * Configures an unchanged provider, unless operations use it already: a second configuration would
 * end the instance that they use.
 */
export async function configureUnusedProvider(
  { ports }: Pick<GeneratorContext, 'ports'>,
  state: ResourceState,
  inputs: ResourceState['inputs'],
): Promise<void> {
  if (!isProviderType(state.type)) return
  if (ports.providers.isRegistered(referenceOf(state.urn, state.id))) return
  await ports.providers.configure(state.urn, state.id, inputs)
}

async function runChange(
  ctx: GeneratorContext,
  candidate: Candidate,
  steps: readonly Step[],
): Promise<Result<CurrentState>> {
  const ended: EndedStep[] = []
  let completed: Result<void>
  try {
    completed = await runBatches(ctx, candidate, steps, ended)
  } finally {
    ctx.apply(createStepEndsDelta(steps, ended))
  }
  if (completed.kind === 'failed') return completed
  const made = ended.findLast(({ step }) => step.op !== 'replace')
  if (made?.tracked === undefined) return failStep(ctx.input)
  return decided({ ...made.tracked, op: made.step.op })
}

/** Runs the batches one after another and collects each end, until one does not succeed. */
async function runBatches(
  ctx: GeneratorContext,
  candidate: Candidate,
  steps: readonly Step[],
  ended: EndedStep[],
): Promise<Result<void>> {
  for (const batch of groupIntoBatches(steps)) {
    const ends =
      isSettledByGenerator(batch[0]?.next ?? candidate.next) &&
      batch[0]?.op.startsWith('delete') !== true
        ? [await settleChange(ctx, candidate, steps, batch[0])]
        : await ctx.ports.runner.run({
            urn: candidate.claim.urn,
            steps: batch,
            ...decisionRecordOf(ctx, candidate, steps),
          })
    ended.push(...ends)
    // Only a person can resolve an interrupted operation: the other resources do not wait for it.
    const isOrphaned = ends.some(end => end.isOrphaned === true)
    if (ends.some(({ end }) => end.verdict !== 'succeeded')) return failStep(ctx.input, isOrphaned)
  }
  return decided(undefined)
}

/** The goal and the delta that a record has besides its steps. */
function decisionRecordOf(
  ctx: GeneratorContext,
  candidate: Candidate,
  steps: readonly Step[],
): { readonly goal: string; readonly sets: SetDelta } {
  return {
    goal: ctx.ports.goalDigestOf(candidate.goal),
    sets: setDeltaOf(ctx.input, candidate, steps),
  }
}

/** The delta that is recorded with a decision, for readers of the log. */
function setDeltaOf(
  { sets }: Pick<DecisionInput, 'sets'>,
  candidate: Candidate,
  steps: readonly Step[],
): SetDelta {
  const { urn, alias } = candidate.claim
  const deleted = steps.filter(step => step.effect === 'mark-pending').map(step => step.urn)
  const keys = deleted.flatMap(gone => {
    const found = sets.dependentKeys.get(gone)
    return found === undefined ? [] : [[gone, found] as const]
  })
  return {
    ...(alias === undefined ? {} : { aliased: [[alias, urn] as const] }),
    ...(deleted.length === 0 ? {} : { deleted }),
    ...(keys.length === 0 ? {} : { dependentKeys: keys }),
    ...(sets.replaces.has(urn) ? { replaced: [urn] } : {}),
    ...(sets.targeted.has(urn) ? { targeted: [urn] } : {}),
  }
}

/**
 * Steps of a custom resource are one chain; each step of a component or provider is its own batch.
 */
function groupIntoBatches(steps: readonly Step[]): readonly (readonly Step[])[] {
  const settled = steps.some(step => step.next !== undefined && isSettledByGenerator(step.next))
  if (!settled) return [steps]
  const deletes = steps.filter(step => step.next === undefined)
  const rest = steps.filter(step => step.next !== undefined)
  return [...(deletes.length > 0 ? [deletes] : []), ...rest.map(step => [step])]
}

/** Settles the create, update or replacement of a component or provider, without an executor. */
async function settleChange(
  ctx: GeneratorContext,
  candidate: Candidate,
  steps: readonly Step[],
  step: Step | undefined,
): Promise<EndedStep> {
  if (step?.next === undefined) throw new TypeError('a change has a planned state')
  ctx.ports.emitter.emitBegin(step)
  if (step.op === 'replace') {
    const end = successEndOf(step.next)
    ctx.ports.emitter.emitEnd(step, end)
    ctx.ports.emitter.count(step, end)
    return { step, end, tracked: undefined }
  }
  const refused = await runBeforeHooks(ctx, step)
  if (refused !== undefined) {
    const end = failureEndOf({ message: refused, status: 'ok' })
    ctx.ports.emitter.emitEnd(step, end)
    return { step, end, tracked: undefined }
  }
  const state = markSecretOutputs(await computeSettledState(ctx, step, step.next), () => undefined)
  const tracked = await ctx.ports.runner.settle({
    step,
    state,
    ...decisionRecordOf(ctx, candidate, steps),
  })
  await runAfterHooks(ctx, step, tracked.state)
  const end = successEndOf(tracked.state)
  ctx.ports.emitter.emitEnd(step, end)
  ctx.ports.emitter.count(step, end)
  return { step, end, tracked }
}

async function computeSettledState(
  ctx: GeneratorContext,
  step: Step,
  next: ResourceState,
): Promise<ResourceState> {
  const now = ctx.ports.timestamp()
  const isUpdate = step.op === 'update'
  const times = ctx.input.preview
    ? {}
    : isUpdate
      ? { modified: now }
      : { created: now, modified: now }
  // An update leaves the times of a component as they are: it changes nothing in the cloud.
  if (!isProviderType(next.type)) return { ...next, outputs: emptyMap, ...(isUpdate ? {} : times) }
  const id = isUpdate
    ? (step.old?.state.id ?? '')
    : ctx.input.preview
      ? unknownText
      : ctx.ports.uuid()
  await ctx.ports.providers.configure(next.urn, id, next.inputs)
  return { ...next, id, outputs: withoutInternal(next.inputs), ...times }
}
