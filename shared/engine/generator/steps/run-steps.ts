import { isProviderType, referenceOf, unknownText } from '../../../names/provider-reference.ts'
import type { SetDelta } from '../../../records/log.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { equalResources } from '../../../state/equal.ts'
import { emptyMap } from '../../../values/value.ts'
import { withoutInternal } from '../../../providers/provider-inputs.ts'
import { markSecretOutputs } from '../../secret-outputs.ts'
import type { Step } from '../../step.ts'
import { type EndedStep, failureEndOf, successEndOf } from '../../step-end.ts'
import { Bail, failRegistration, type GeneratorContext } from '../context.ts'
import { type Candidate, isSettledByGenerator } from '../registration/candidate.ts'
import { applyStepEnds } from './apply-step-ends.ts'
import { emitSameViews } from './same-views.ts'
import { runAfterHooks, runBeforeHooks } from './settled-hooks.ts'
import type { CurrentState } from '../sets.ts'

/** Carries the steps of a registration out and answers what the resource is then. */
export async function runSteps(
  ctx: GeneratorContext,
  candidate: Candidate,
  steps: readonly Step[],
): Promise<CurrentState> {
  if (ctx.isAborted()) throw new Bail()
  const last = steps.findLast(step => step.op !== 'replace')
  if (last === undefined) throw new TypeError('a registration comes to a step')
  const current =
    last.op !== 'same'
      ? await runChange(ctx, candidate, steps)
      : // What was just imported as the program wants it needs no step besides.
        (candidate.claim.imported ?? (await settleSame(ctx, candidate, last)))
  ctx.sets.current.set(current.state.urn, current)
  ctx.updatePlan.draft?.recordOutputs(current.state.urn, current.state.outputs)
  return current
}

/** An unchanged resource: written only when something that is kept differs from the base. */
async function settleSame(
  ctx: GeneratorContext,
  candidate: Candidate,
  step: Step,
): Promise<CurrentState> {
  const { next, old } = step
  if (next === undefined || old === undefined) throw new TypeError('a same has both states')
  const state = markSecretOutputs(next, () => undefined)
  ctx.emitter.emitBegin(step)
  await configureUnusedProvider(ctx, state, old.state.inputs)
  const unwritten = equalResources(old.state, state)
  const tracked = unwritten
    ? old
    : await ctx.runner.settle({ step, state, ...decisionRecordOf(ctx, candidate, [step]) })
  const end = successEndOf(tracked.state)
  ctx.emitter.emitEnd(step, end)
  ctx.emitter.count(step, end)
  emitSameViews(ctx, old.state)
  return { ...tracked, op: 'same' }
}

/**
 * Configures an unchanged provider, unless operations use it already: to configure it again would
 * end the instance under them.
 */
export async function configureUnusedProvider(
  ctx: GeneratorContext,
  state: ResourceState,
  inputs: ResourceState['inputs'],
): Promise<void> {
  if (!isProviderType(state.type)) return
  if (ctx.providers.isRegistered(referenceOf(state.urn, state.id))) return
  await ctx.providers.configure(state.urn, state.id, inputs)
}

async function runChange(
  ctx: GeneratorContext,
  candidate: Candidate,
  steps: readonly Step[],
): Promise<CurrentState> {
  const ended: EndedStep[] = []
  try {
    await runBatches(ctx, candidate, steps, ended)
  } finally {
    applyStepEnds(ctx.sets, steps, ended)
  }
  const made = ended.findLast(({ step }) => step.op !== 'replace')
  if (made?.tracked === undefined) return failRegistration(ctx)
  return { ...made.tracked, op: made.step.op }
}

/** Runs the batches one after another, noting each end, until one does not succeed. */
async function runBatches(
  ctx: GeneratorContext,
  candidate: Candidate,
  steps: readonly Step[],
  ended: EndedStep[],
): Promise<void> {
  for (const batch of groupIntoBatches(steps)) {
    const ends =
      isSettledByGenerator(batch[0]?.next ?? candidate.next) &&
      batch[0]?.op.startsWith('delete') !== true
        ? [await settleChange(ctx, candidate, steps, batch[0])]
        : await ctx.runner.run({
            urn: candidate.claim.urn,
            steps: batch,
            ...decisionRecordOf(ctx, candidate, steps),
          })
    ended.push(...ends)
    // What only a person can find out is no reason to leave the rest undone.
    const isOrphaned = ends.some(end => end.isOrphaned === true)
    if (ends.some(({ end }) => end.verdict !== 'succeeded'))
      return failRegistration(ctx, isOrphaned)
  }
}

/** What a record says of the registration beside its steps. */
function decisionRecordOf(
  ctx: GeneratorContext,
  candidate: Candidate,
  steps: readonly Step[],
): { readonly goal: string; readonly sets: SetDelta } {
  return { goal: ctx.goalDigestOf(candidate.goal), sets: setDeltaOf(ctx, candidate, steps) }
}

/** What this decision added to the sets, for whoever folds the log. */
function setDeltaOf(ctx: GeneratorContext, candidate: Candidate, steps: readonly Step[]): SetDelta {
  const { urn, alias } = candidate.claim
  const deleted = steps.filter(step => step.effect === 'mark-pending').map(step => step.urn)
  const keys = deleted.flatMap(gone => {
    const found = ctx.sets.dependentKeys.get(gone)
    return found === undefined ? [] : [[gone, found] as const]
  })
  return {
    ...(alias === undefined ? {} : { aliased: [[alias, urn] as const] }),
    ...(deleted.length === 0 ? {} : { deleted }),
    ...(keys.length === 0 ? {} : { dependentKeys: keys }),
    ...(ctx.sets.replaces.has(urn) ? { replaced: [urn] } : {}),
    ...(ctx.sets.targeted.has(urn) ? { targeted: [urn] } : {}),
  }
}

/** Steps of a custom resource are one chain; those of components and providers stand alone. */
function groupIntoBatches(steps: readonly Step[]): readonly (readonly Step[])[] {
  const settled = steps.some(step => step.next !== undefined && isSettledByGenerator(step.next))
  if (!settled) return [steps]
  const deletes = steps.filter(step => step.next === undefined)
  const rest = steps.filter(step => step.next !== undefined)
  return [...(deletes.length > 0 ? [deletes] : []), ...rest.map(step => [step])]
}

/**
 * Create, update or replace of a component or provider: no cloud is asked, the generator settles
 * it.
 */
async function settleChange(
  ctx: GeneratorContext,
  candidate: Candidate,
  steps: readonly Step[],
  step: Step | undefined,
): Promise<EndedStep> {
  if (step?.next === undefined) throw new TypeError('a change has a state to be')
  ctx.emitter.emitBegin(step)
  if (step.op === 'replace') {
    const end = successEndOf(step.next)
    ctx.emitter.emitEnd(step, end)
    ctx.emitter.count(step, end)
    return { step, end, tracked: undefined }
  }
  const refused = await runBeforeHooks(ctx, step)
  if (refused !== undefined) {
    const end = failureEndOf({ message: refused, status: 'ok' })
    ctx.emitter.emitEnd(step, end)
    return { step, end, tracked: undefined }
  }
  const state = markSecretOutputs(await computeSettledState(ctx, step, step.next), () => undefined)
  const tracked = await ctx.runner.settle({
    step,
    state,
    ...decisionRecordOf(ctx, candidate, steps),
  })
  await runAfterHooks(ctx, step, tracked.state)
  const end = successEndOf(tracked.state)
  ctx.emitter.emitEnd(step, end)
  ctx.emitter.count(step, end)
  return { step, end, tracked }
}

async function computeSettledState(
  ctx: GeneratorContext,
  step: Step,
  next: ResourceState,
): Promise<ResourceState> {
  const now = ctx.timestamp()
  const isUpdate = step.op === 'update'
  const times = ctx.preview ? {} : isUpdate ? { modified: now } : { created: now, modified: now }
  // Only what is made moves the times of a component: a change of it is nothing in the cloud.
  if (!isProviderType(next.type)) return { ...next, outputs: emptyMap, ...(isUpdate ? {} : times) }
  const id = isUpdate ? (step.old?.state.id ?? '') : ctx.preview ? unknownText : ctx.uuid()
  await ctx.providers.configure(next.urn, id, next.inputs)
  return { ...next, id, outputs: withoutInternal(next.inputs), ...times }
}
