import { limits } from '../../config/limits.ts'
import { runHook } from '../deployment/drive-hooked.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import { perform } from '../executor/perform.ts'
import type { PerformDeps } from '../executor/performing.ts'
import { hooksOf, momentOf, type ProgramHooks, type StepHooks } from '../hooks.ts'
import type { Step } from '../step.ts'
import { failed, type StepEnd, succeeded } from '../step-end.ts'

/** What previewing a step needs. */
export interface PreviewDeps {
  readonly performing: PerformDeps
  readonly emitter: StepEmitter
  readonly hooks: ProgramHooks
  /** A hook failed after its step. */
  readonly afterFailed: () => void
}

/** Tells what a step would do: hooks that want it run, the provider is asked what would be. */
export async function previewStep(step: Step, deps: PreviewDeps): Promise<StepEnd> {
  const { emitter } = deps
  emitter.pre(step)
  const hooks = hooksOf(step)
  const end =
    step.op === 'replace'
      ? succeeded(undefined)
      : hooks === undefined
        ? await perform(step, { preview: true }, telling(deps))
        : await deps.hooks.track(between(step, hooks, deps))
  emitter.ended(step, end)
  emitter.count(step, end)
  return end
}

function telling({ performing, emitter }: PreviewDeps): PerformDeps {
  return { ...performing, tellView: emitter.pre }
}

async function between(step: Step, hooks: StepHooks, deps: PreviewDeps): Promise<StepEnd> {
  const moment = (hook: StepHooks['before'], made?: StepEnd['state']) =>
    momentOf(step, hooks, { hook, isPreview: true, made })
  const refused = await runHook(deps, moment(hooks.before))
  if (refused !== undefined) return failed({ message: refused, status: 'ok' })
  const end = await performed(step, hooks, deps)
  if (end.verdict !== 'succeeded') return end
  const error = await runHook(deps, moment(hooks.after, end.state))
  if (error === undefined) return end
  deps.emitter.diagnostic('error', error, step.urn)
  deps.afterFailed()
  return end
}

/** Error hooks are asked in previews too, as in the original. */
async function performed(step: Step, hooks: StepHooks, deps: PreviewDeps): Promise<StepEnd> {
  const errors: string[] = []
  const most = limits.errorHookTriesMax
  const warn = (message: string): void => deps.emitter.diagnostic('warning', message, step.urn)
  for (;;) {
    const end = await perform(step, { preview: true }, telling(deps))
    if (end.error?.code === undefined) return end
    errors.unshift(end.error.message)
    if (errors.length >= most) {
      warn(`maximum number of error hook retries (${most}) reached`)
      const message = 'maximum number of error hook retries reached'
      return { ...end, error: { ...end.error, message } }
    }
    const moment = momentOf(step, hooks, { hook: 'OnError', isPreview: true })
    const asked = { operation: hooks.operation, errors }
    const { retry, error } = await deps.hooks.askRetry(moment, asked)
    if (error !== undefined) {
      const message = `error hooks execution failed: ${error}`
      return { ...end, error: { ...end.error, message } }
    }
    if (!retry) return end
    warn(`retrying ${hooks.operation} due to on-error hook request (${errors.length}/${most})`)
  }
}
