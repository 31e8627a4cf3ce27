import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { hooksOf, momentOf } from '../../hooks.ts'
import type { Step } from '../../step.ts'
import { type GeneratorContext, reportHookFailure } from '../context.ts'

/** Runs the hooks before what the generator settles itself; answers why it may not be done. */
export async function runBeforeHooks(
  ctx: GeneratorContext,
  step: Step,
): Promise<string | undefined> {
  const hooks = hooksOf(step)
  if (hooks === undefined) return undefined
  const { preview: isPreview } = ctx
  return ctx.runner.runHooks(momentOf(step, hooks, { hook: hooks.before, isPreview }))
}

/**
 * Runs the hooks after it: at once for a provider, for a component once it gave its outputs. One
 * that never gives any has no such moment, as in the original. Source:
 * docs/spec/step-execution.md#hooks.
 */
export async function runAfterHooks(
  ctx: GeneratorContext,
  step: Step,
  made: ResourceState,
): Promise<void> {
  const hooks = hooksOf(step)
  if (hooks === undefined) return
  if (!made.custom) {
    ctx.sets.awaitingOutputs.set(step.urn, step)
    return
  }
  await runAfterMoment(ctx, step, made)
}

/** Runs the hooks of a component that gave its outputs. */
export async function runOutputHooks(ctx: GeneratorContext, urn: Urn): Promise<void> {
  const step = ctx.sets.awaitingOutputs.get(urn)
  const current = ctx.sets.current.get(urn)
  if (step === undefined || current === undefined) return
  ctx.sets.awaitingOutputs.delete(urn)
  await runAfterMoment(ctx, step, current.state)
}

async function runAfterMoment(
  ctx: GeneratorContext,
  step: Step,
  made: ResourceState,
): Promise<void> {
  const hooks = hooksOf(step)
  if (hooks === undefined) return
  const { preview: isPreview } = ctx
  const moment = momentOf(step, hooks, { hook: hooks.after, isPreview, made })
  const error = await ctx.runner.runHooks(moment)
  if (error !== undefined) reportHookFailure(ctx, error, step.urn)
}
