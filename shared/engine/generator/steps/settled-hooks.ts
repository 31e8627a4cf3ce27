import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { hooksOf, momentOf } from '../../hooks.ts'
import type { Step } from '../../step.ts'
import type { GeneratorContext } from '../context.ts'
import { applyFailure } from '../finish-stage.ts'

/** Runs the hooks before a step that the generator settles; returns the error that forbids it. */
export async function runBeforeHooks(
  ctx: GeneratorContext,
  step: Step,
): Promise<string | undefined> {
  const hooks = hooksOf(step)
  if (hooks === undefined) return undefined
  const { preview: isPreview } = ctx.input
  return ctx.ports.runner.runHooks(momentOf(step, hooks, { hook: hooks.before, isPreview }))
}

/**
 * Runs the hooks after a settled step: at once for a provider, for a component when its outputs are
 * registered. As in Pulumi, they never run for a component without outputs. Source:
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
    ctx.apply({ awaitingOutputs: [step] })
    return
  }
  await runAfterMoment(ctx, step, made)
}

/** Runs the hooks of a component whose outputs were registered. */
export async function runOutputHooks(ctx: GeneratorContext, urn: Urn): Promise<void> {
  const step = ctx.input.sets.awaitingOutputs.get(urn)
  const current = ctx.input.sets.current.get(urn)
  if (step === undefined || current === undefined) return
  ctx.apply({ removed: { awaitingOutputs: [urn] } })
  await runAfterMoment(ctx, step, current.state)
}

async function runAfterMoment(
  ctx: GeneratorContext,
  step: Step,
  made: ResourceState,
): Promise<void> {
  const hooks = hooksOf(step)
  if (hooks === undefined) return
  const { preview: isPreview } = ctx.input
  const moment = momentOf(step, hooks, { hook: hooks.after, isPreview, made })
  const message = await ctx.ports.runner.runHooks(moment)
  if (message === undefined) return
  // The resource stays as it is; the deployment fails.
  const ends = ctx.input.continueOnError ? 'registration' : 'deployment'
  applyFailure(ctx.ports, { diagnostics: [{ message, urn: step.urn }], ends })
}
