import { limits } from '../../../config/limits.ts'
import { runHooks } from '../../deployment/dispatch/run-hooks.ts'
import type { StepEmitter } from '../../events/step-emitter.ts'
import type { ForecastDraft } from '../../forecast/forecast-draft.ts'
import { performStep } from '../../executor/perform-step.ts'
import type { PerformDeps } from '../../executor/provider-call.ts'
import { hooksOf, hookCallOf, type ProgramHooks, type StepHooks } from '../../hooks.ts'
import type { Step } from '../../step.ts'
import { failureEndOf, type StepEnd, successEndOf } from '../../step-end.ts'

/** The dependencies of a previewed step. */
export interface PreviewDeps {
  readonly performDeps: PerformDeps
  readonly emitter: StepEmitter
  readonly hooks: ProgramHooks
  readonly forecast: ForecastDraft | undefined
  /** Called when an after hook failed, although its step had succeeded. */
  readonly onHookFailed: () => void
}

/**
 * Previews a step: runs its hooks, requests a preview of the operation from the provider, and emits
 * the step with its end.
 */
export async function previewStep(step: Step, deps: PreviewDeps): Promise<StepEnd> {
  const { emitter } = deps
  emitter.emitBegin(step)
  const hooks = hooksOf(step)
  const end =
    step.op === 'replace'
      ? successEndOf(undefined)
      : hooks === undefined
        ? await performStep(step, { preview: true }, withEmittedViews(deps))
        : await deps.hooks.track(previewWithHooks(step, hooks, deps))
  emitter.emitEnd(step, end)
  emitter.count(step, end)
  return end
}

function withEmittedViews({ performDeps, emitter }: PreviewDeps): PerformDeps {
  return { ...performDeps, onViewStep: emitter.emitBegin }
}

async function previewWithHooks(step: Step, hooks: StepHooks, deps: PreviewDeps): Promise<StepEnd> {
  const createHookCall = (hookType: StepHooks['beforeType'], resultState?: StepEnd['state']) =>
    hookCallOf(step, hooks, { hookType, isPreview: true, resultState })
  const beforeError = await runHooks(deps, createHookCall(hooks.beforeType))
  if (beforeError !== undefined) return failureEndOf({ message: beforeError, status: 'ok' })
  const end = await previewWithRetries(step, hooks, deps)
  if (end.verdict !== 'succeeded') return end
  const error = await runHooks(deps, createHookCall(hooks.afterType, end.state))
  if (error === undefined) return end
  deps.emitter.report('error', error, step.urn)
  deps.onHookFailed()
  return end
}

/**
 * Previews a step until it succeeds, its error hooks request no retry, or `errorHookTriesMax` tries
 * have failed. As in Pulumi, error hooks run in previews too.
 */
async function previewWithRetries(
  step: Step,
  hooks: StepHooks,
  deps: PreviewDeps,
): Promise<StepEnd> {
  const errors: string[] = []
  const triesMax = limits.errorHookTriesMax
  const warn = (message: string): void => deps.emitter.report('warning', message, step.urn)
  for (;;) {
    const end = await performStep(step, { preview: true }, withEmittedViews(deps))
    // Only an error of the provider has a code. Other errors call no error hooks.
    if (end.error?.code === undefined) return end
    errors.unshift(end.error.message)
    if (errors.length >= triesMax) {
      warn(`maximum number of error hook retries (${triesMax}) reached`)
      const message = 'maximum number of error hook retries reached'
      return { ...end, error: { ...end.error, message } }
    }
    const hookCall = hookCallOf(step, hooks, { hookType: 'OnError', isPreview: true })
    const failure = { operation: hooks.operationKind, errors }
    const { mustRetry, error } = await deps.hooks.requestRetry(hookCall, failure)
    if (error !== undefined) {
      const message = `error hooks execution failed: ${error}`
      return { ...end, error: { ...end.error, message } }
    }
    if (!mustRetry) return end
    warn(
      `retrying ${hooks.operationKind} due to on-error hook request (${errors.length}/${triesMax})`,
    )
  }
}
