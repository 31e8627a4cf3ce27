import type { ResourceState } from '../../state/resource.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StepEnd } from '../step-end.ts'
import { rebuildAfterRefresh } from '../../state/rebuild-after-refresh.ts'
import { performStep } from '../executor/perform-step.ts'
import { type PerformDeps, resolveStepProvider } from '../executor/provider-call.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import type { ForecastDraft } from '../forecast/forecast-draft.ts'
import { type Base, createBase, withBaseViews } from '../deployment/state/base.ts'
import type { GeneratorContext } from '../generator/context.ts'
import { type PreviewDeps, previewStep } from '../generator/steps/preview-step.ts'
import { unwrap } from '../generator/finish-stage.ts'
import { planDestroy } from '../generator/deletion/plan-destroy.ts'
import {
  reportUntargetedDeletes,
  createDeleteScope,
  startProviders,
  emitKeptStates,
} from '../generator/deletion/delete-scope.ts'
import { condemnStates } from '../generator/deletion/condemned-steps.ts'
import { checkDeletesAgainstUpdatePlan } from '../generator/checks/check-update-plan.ts'
import type { Scope } from '../generator/targets/scope.ts'
import type { CommandRun } from './command-run.ts'
import { releaseModeOf } from './report-waves.ts'
import {
  createRefreshSteps,
  emitUnchanged,
  createUnregisteredRefreshSteps,
} from '../generator/refresh/plan-refresh.ts'

/**
 * Emits the deletes that a deployment would plan, in their order. Returns false when one of them is
 * not allowed or fails.
 */
export async function previewDeletes(
  ctx: GeneratorContext,
  deps: PreviewDeps & Pick<CommandRun, 'request'>,
): Promise<boolean> {
  const mayDelete = unwrap(ctx, await createDeleteScope(ctx))
  const { graph, condemned } = ctx.input.isProgramDestroy
    ? planDestroy(ctx, { leftovers: [], mayDelete })
    : { graph: ctx.input.base.graph, condemned: condemnStates(ctx, mayDelete) }
  const steps = condemned.map(({ step }) => step)
  if (!checkDeletesAgainstUpdatePlan(ctx, steps.toReversed())) return false
  unwrap(ctx, await startProviders(ctx, steps))
  let hasSucceeded = reportUntargetedDeletes(ctx, steps)
  emitKeptStates(ctx, mayDelete)
  deps.forecast?.addDeletes(
    { graph, condemned, release: releaseModeOf(deps) },
    ctx.input.scope.excludeProtected,
  )
  for (const { step } of condemned.toReversed()) {
    const end = await previewStep(withBaseViews(step, ctx.input.base), deps)
    if (end.verdict !== 'succeeded') hasSucceeded = false
  }
  return hasSucceeded
}

/**
 * Emits the deletes or refreshes of the resources that the program did not register. Returns false
 * when one of them is not allowed or fails.
 */
export async function previewUnregistered(
  ctx: GeneratorContext,
  deps: PreviewDeps & Pick<CommandRun, 'request'>,
): Promise<boolean> {
  if (ctx.input.programRefreshMode !== 'only') return previewDeletes(ctx, deps)
  return (
    (await previewReadSteps(createUnregisteredRefreshSteps(ctx.input), ctx.input.base, deps)) !==
    undefined
  )
}

/** Adds to `results` the states of views that the provider reported during a read. */
function recordViewReads(
  results: Map<ResourceState, ResourceState | undefined>,
  { views = [] }: StepEnd,
  base: Base,
): void {
  for (const { step, end } of views)
    if (step.effect === 'swap' && step.old?.ref.kind === 'base' && end.verdict !== 'failed')
      results.set(base.trackedStateAt(step.old.ref.index).state, end.state)
}

/** Maximum number of concurrent reads of a previewed refresh. */
const readsMax = 16

/** Compares states with the cloud. Returns the resulting base, or undefined when a read failed. */
export async function previewRefresh(
  base: Base,
  refreshSelection: 'all' | 'required',
  options: {
    readonly emitter: StepEmitter
    readonly forecast: ForecastDraft | undefined
    readonly performDeps: PerformDeps
    readonly scope: Scope
    readonly outputsOnly: boolean
  },
): Promise<Base | undefined> {
  const results = await previewReadSteps(
    createRefreshSteps(base, refreshSelection, options),
    base,
    options,
  )
  if (results === undefined) return undefined
  const refreshedSnapshot: Snapshot = {
    ...base.snapshot,
    resources: rebuildAfterRefresh(base.snapshot.resources, results),
  }
  return createBase(refreshedSnapshot, base.epoch + 1)
}

/**
 * Reads states and emits their steps. Returns old state → read state (undefined: no longer exists).
 * Returns undefined when a read failed.
 */
async function previewReadSteps(
  { readableSteps, unchangedSteps }: ReturnType<typeof createRefreshSteps>,
  base: Base,
  { emitter, performDeps, forecast }: Pick<PreviewDeps, 'emitter' | 'performDeps' | 'forecast'>,
): Promise<ReadonlyMap<ResourceState, ResourceState | undefined> | undefined> {
  emitUnchanged(emitter, unchangedSteps)
  forecast?.addReads(readableSteps)
  const results = new Map<ResourceState, ResourceState | undefined>()
  let hasSucceeded = true
  // As in Pulumi, all providers start before the first read. The read reports a provider that
  // cannot start.
  for (const step of readableSteps)
    await resolveStepProvider(step, performDeps).catch(() => undefined)
  const pendingSteps = [...readableSteps]
  const readNext = async (): Promise<void> => {
    for (let step = pendingSteps.shift(); step !== undefined; step = pendingSteps.shift()) {
      emitter.emitBegin(step)
      const stepWithViews = withBaseViews(step, base)
      const end = await performStep(
        stepWithViews,
        { preview: true },
        { ...performDeps, onViewStep: emitter.emitBegin },
      )
      recordViewReads(results, end, base)
      emitter.emitEnd(step, end)
      emitter.count(step, end)
      if (end.verdict !== 'succeeded') hasSucceeded = false
      else if (step.old !== undefined) results.set(step.old.state, end.state)
    }
  }
  await Promise.all(Array.from({ length: readsMax }, readNext))
  return hasSucceeded ? results : undefined
}
