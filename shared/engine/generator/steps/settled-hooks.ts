import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { hooksOf, hookCallOf } from '../../hooks.ts'
import type { Step } from '../../step.ts'
import type { GeneratorContext } from '../context.ts'
import { applyFailure } from '../finish-stage.ts'

/**
 * Runs the hooks before a step that the generator settles. Returns the error that prevents the
 * step, or undefined.
 */
export async function runBeforeHooks(
  ctx: GeneratorContext,
  step: Step,
): Promise<string | undefined> {
  const hooks = hooksOf(step)
  if (hooks === undefined) return undefined
  const { isPreview } = ctx.input
  return ctx.ports.runner.runHooks(
    hookCallOf(step, hooks, { hookType: hooks.beforeType, isPreview }),
  )
}

/**
 * Runs the hooks after a settled step. The hooks of a provider run immediately. The hooks of a
 * component run when its outputs are registered. As in Pulumi, they do not run if the component
 * registers no outputs. Source: docs/spec/step-execution.md#hooks.
 */
export async function runAfterHooks(
  ctx: GeneratorContext,
  step: Step,
  resultState: ResourceState,
): Promise<void> {
  const hooks = hooksOf(step)
  if (hooks === undefined) return
  if (!resultState.custom) {
    ctx.apply({ stepsAwaitingOutputs: [step] })
    return
  }
  await callAfterHooks(ctx, step, resultState)
}

/** Runs the after hooks of a component whose outputs were registered. */
export async function runOutputHooks(ctx: GeneratorContext, urn: Urn): Promise<void> {
  const step = ctx.input.sets.stepsAwaitingOutputs.get(urn)
  const current = ctx.input.sets.currentStates.get(urn)
  if (step === undefined || current === undefined) return
  ctx.apply({ removed: { stepsAwaitingOutputs: [urn] } })
  await callAfterHooks(ctx, step, current.state)
}

async function callAfterHooks(
  ctx: GeneratorContext,
  step: Step,
  resultState: ResourceState,
): Promise<void> {
  const hooks = hooksOf(step)
  if (hooks === undefined) return
  const { isPreview } = ctx.input
  const hookCall = hookCallOf(step, hooks, { hookType: hooks.afterType, isPreview, resultState })
  const message = await ctx.ports.runner.runHooks(hookCall)
  if (message === undefined) return
  // The change of the resource is kept, and the deployment fails.
  const endedPart = ctx.input.continueOnError ? 'registration' : 'deployment'
  applyFailure(ctx.ports, { diagnostics: [{ message, urn: step.urn }], endedPart })
}
