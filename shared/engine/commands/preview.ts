import type { ResourceState } from '../../state/resource.ts'
import type { Snapshot } from '../../state/snapshot.ts'
import type { StepEnd } from '../step-end.ts'
import { rebuiltAfterRefresh } from '../../state/refreshed.ts'
import { perform } from '../executor/perform.ts'
import { type PerformDeps, providerFor } from '../executor/performing.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import { type Base, baseOf, withOldViews } from '../deployment/base.ts'
import type { GeneratorContext } from '../generator/context.ts'
import { type PreviewDeps, previewStep } from '../generator/preview-step.ts'
import { destroySteps } from '../generator/destroying.ts'
import { areTargets, deleteScope, startProviders, tellKept } from '../generator/delete-scope.ts'
import { condemnedSteps } from '../generator/delete-steps.ts'
import { planDeletes } from '../generator/planning.ts'
import type { Scope } from '../generator/scope.ts'
import type { Life } from './life.ts'
import { releaseOf, tellWaves } from './tell-waves.ts'
import { refreshSteps, tellUnchanged, unregisteredSteps } from '../generator/refresh-plan.ts'

/**
 * What would be deleted, told in the order in which it would go; false when something could not be.
 */
export async function previewDeletes(
  ctx: GeneratorContext,
  life: PreviewDeps & Pick<Life, 'request'>,
): Promise<boolean> {
  const mayGo = await deleteScope(ctx)
  const { graph, condemned } = ctx.isDestroying
    ? destroySteps(ctx, { left: [], mayGo })
    : { graph: ctx.base.graph, condemned: condemnedSteps(ctx, mayGo) }
  const steps = condemned.map(({ step }) => step)
  if (!planDeletes(ctx, steps.toReversed())) return false
  await startProviders(ctx, steps)
  let isWhole = areTargets(ctx, steps)
  tellKept(ctx, mayGo)
  tellWaves(ctx.emitter, { graph, condemned, release: releaseOf(life) })
  for (const { step } of condemned.toReversed()) {
    const end = await previewStep(withOldViews(step, ctx.base), life)
    if (end.verdict !== 'succeeded') isWhole = false
  }
  return isWhole
}

/** What would become of what the program did not register; false when something is in the way. */
export async function previewRest(
  ctx: GeneratorContext,
  life: PreviewDeps & Pick<Life, 'request'>,
): Promise<boolean> {
  if (ctx.refreshing !== 'only') return previewDeletes(ctx, life)
  return (await previewReads(unregisteredSteps(ctx), ctx.base, life)) !== undefined
}

/** Takes what a read said of views into what is known of states. */
function noteRefreshed(
  results: Map<ResourceState, ResourceState | undefined>,
  { views = [] }: StepEnd,
  base: Base,
): void {
  for (const { step, end } of views)
    if (step.effect === 'swap' && step.old?.ref.kind === 'base' && end.verdict !== 'failed')
      results.set(base.tracked(step.old.ref.index).state, end.state)
}

/** Most reads of a previewed refresh at once. */
const readsMax = 16

/**
 * Compares states with the cloud and answers the base that would result; undefined when a read
 * failed.
 */
export async function previewRefresh(
  base: Base,
  which: 'all' | 'required',
  about: {
    readonly emitter: StepEmitter
    readonly performing: PerformDeps
    readonly scope: Scope
    readonly outputsOnly: boolean
  },
): Promise<Base | undefined> {
  const results = await previewReads(refreshSteps(base, which, about), base, about)
  if (results === undefined) return undefined
  const refreshed: Snapshot = {
    ...base.snapshot,
    resources: rebuiltAfterRefresh(base.snapshot.resources, results),
  }
  return baseOf(refreshed, base.epoch + 1)
}

/** What states were read as; undefined when a read failed. */
async function previewReads(
  { asked, unchanged }: ReturnType<typeof refreshSteps>,
  base: Base,
  { emitter, performing }: Pick<PreviewDeps, 'emitter' | 'performing'>,
): Promise<ReadonlyMap<ResourceState, ResourceState | undefined> | undefined> {
  tellUnchanged(emitter, unchanged)
  const results = new Map<ResourceState, ResourceState | undefined>()
  let isWhole = true
  // As in the original all providers are there before the first read; one that is not is told then.
  for (const step of asked) await providerFor(step, performing).catch(() => undefined)
  const open = [...asked]
  const work = async (): Promise<void> => {
    for (let step = open.shift(); step !== undefined; step = open.shift()) {
      emitter.pre(step)
      const viewed = withOldViews(step, base)
      const end = await perform(viewed, { preview: true }, { ...performing, tellView: emitter.pre })
      noteRefreshed(results, end, base)
      emitter.ended(step, end)
      emitter.count(step, end)
      if (end.verdict !== 'succeeded') isWhole = false
      else if (step.old !== undefined) results.set(step.old.state, end.state)
    }
  }
  await Promise.all(Array.from({ length: readsMax }, work))
  return isWhole ? results : undefined
}
