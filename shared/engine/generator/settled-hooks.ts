import type { Urn } from '../../names/urn.ts'
import type { ResourceState } from '../../state/resource.ts'
import { hooksOf, momentOf } from '../hooks.ts'
import type { Step } from '../step.ts'
import { type GeneratorContext, hookFailed } from './context.ts'

/** Runs the hooks before what the generator settles itself; answers why it may not be done. */
export async function beforeSettled(
  ctx: GeneratorContext,
  step: Step,
): Promise<string | undefined> {
  const hooks = hooksOf(step)
  if (hooks === undefined) return undefined
  const { preview: isPreview } = ctx
  return ctx.runner.hook(momentOf(step, hooks, { hook: hooks.before, isPreview }))
}

/**
 * Runs the hooks after it: at once for a provider, for a component once it gave its outputs. One
 * that never gives any has no such moment, as in the original. Source:
 * docs/spec/step-execution.md#hooks.
 */
export async function afterSettled(
  ctx: GeneratorContext,
  step: Step,
  made: ResourceState,
): Promise<void> {
  const hooks = hooksOf(step)
  if (hooks === undefined) return
  if (!made.custom) {
    ctx.sets.registering.set(step.urn, step)
    return
  }
  await runAfter(ctx, step, made)
}

/** Runs the hooks of a component that gave its outputs. */
export async function afterOutputs(ctx: GeneratorContext, urn: Urn): Promise<void> {
  const step = ctx.sets.registering.get(urn)
  const current = ctx.sets.current.get(urn)
  if (step === undefined || current === undefined) return
  ctx.sets.registering.delete(urn)
  await runAfter(ctx, step, current.state)
}

async function runAfter(ctx: GeneratorContext, step: Step, made: ResourceState): Promise<void> {
  const hooks = hooksOf(step)
  if (hooks === undefined) return
  const { preview: isPreview } = ctx
  const moment = momentOf(step, hooks, { hook: hooks.after, isPreview, made })
  const error = await ctx.runner.hook(moment)
  if (error !== undefined) hookFailed(ctx, error, step.urn)
}
