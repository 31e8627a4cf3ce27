import { limits } from '../../../config/limits.ts'
import { runHooks } from '../../deployment/dispatch/run-hooked-call.ts'
import type { StepEmitter } from '../../events/step-emitter.ts'
import { perform } from '../../executor/perform.ts'
import type { PerformDeps } from '../../executor/provider-call.ts'
import { hooksOf, momentOf, type ProgramHooks, type StepHooks } from '../../hooks.ts'
import type { Step } from '../../step.ts'
import { failureEndOf, type StepEnd, successEndOf } from '../../step-end.ts'

/** The dependencies of a previewed step. */
export interface PreviewDeps {
  readonly performing: PerformDeps
  readonly emitter: StepEmitter
  readonly hooks: ProgramHooks
  /** Called when a hook failed after its step. */
  readonly onHookFailed: () => void
}

/** Shows the effect of a step: its hooks run, and the provider previews the operation. */
export async function previewStep(step: Step, deps: PreviewDeps): Promise<StepEnd> {
  const { emitter } = deps
  emitter.emitBegin(step)
  const hooks = hooksOf(step)
  const end =
    step.op === 'replace'
      ? successEndOf(undefined)
      : hooks === undefined
        ? await perform(step, { preview: true }, withViewEvents(deps))
        : await deps.hooks.track(previewWithHooks(step, hooks, deps))
  emitter.emitEnd(step, end)
  emitter.count(step, end)
  return end
}

function withViewEvents({ performing, emitter }: PreviewDeps): PerformDeps {
  return { ...performing, onViewStep: emitter.emitBegin }
}

async function previewWithHooks(step: Step, hooks: StepHooks, deps: PreviewDeps): Promise<StepEnd> {
  const moment = (hook: StepHooks['before'], made?: StepEnd['state']) =>
    momentOf(step, hooks, { hook, isPreview: true, made })
  const refused = await runHooks(deps, moment(hooks.before))
  if (refused !== undefined) return failureEndOf({ message: refused, status: 'ok' })
  const end = await previewWithRetries(step, hooks, deps)
  if (end.verdict !== 'succeeded') return end
  const error = await runHooks(deps, moment(hooks.after, end.state))
  if (error === undefined) return end
  deps.emitter.report('error', error, step.urn)
  deps.onHookFailed()
  return end
}

/** As in Pulumi, error hooks run in previews too. */
async function previewWithRetries(
  step: Step,
  hooks: StepHooks,
  deps: PreviewDeps,
): Promise<StepEnd> {
  const errors: string[] = []
  const most = limits.errorHookTriesMax
  const warn = (message: string): void => deps.emitter.report('warning', message, step.urn)
  for (;;) {
    const end = await perform(step, { preview: true }, withViewEvents(deps))
    if (end.error?.code === undefined) return end
    errors.unshift(end.error.message)
    if (errors.length >= most) {
      warn(`maximum number of error hook retries (${most}) reached`)
      const message = 'maximum number of error hook retries reached'
      return { ...end, error: { ...end.error, message } }
    }
    const moment = momentOf(step, hooks, { hook: 'OnError', isPreview: true })
    const failure = { operation: hooks.operation, errors }
    const { retry, error } = await deps.hooks.requestRetry(moment, failure)
    if (error !== undefined) {
      const message = `error hooks execution failed: ${error}`
      return { ...end, error: { ...end.error, message } }
    }
    if (!retry) return end
    warn(`retrying ${hooks.operation} due to on-error hook request (${errors.length}/${most})`)
  }
}
