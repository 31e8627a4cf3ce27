import type { Operation } from '../../../records/operation.ts'
import { emitStepBegin } from '../../events/replace-events.ts'
import { hooksOf, type HookType, hookCallOf } from '../../hooks.ts'
import type { Step } from '../../step.ts'
import { failureEndOf, type StepEnd } from '../../step-end.ts'
import { callWithErrorHooks, type HookedEnd, type HookedStep } from './call-with-error-hooks.ts'
import type { HookedCall } from './hook-operations.ts'
import { type HookDeps, runHooks } from './run-hooks.ts'

/**
 * Runs the before hooks, waits for the call, and runs the after hooks. When the before hooks have
 * succeeded, the call is sent. Without before hooks, the caller has sent it already. When the call
 * fails, error hooks decide whether it is retried. Hooks with a recorded result do not run again.
 * This function also reports the step. Source: docs/spec/step-execution.md#step-kinds,
 * docs/spec/step-execution.md#hooks.
 */
export function runHookedCall(deps: HookDeps, hookedCall: HookedCall): Promise<HookedEnd> {
  return deps.hooks.track(runWithHooks(deps, hookedCall))
}

async function runWithHooks(deps: HookDeps, hookedCall: HookedCall): Promise<HookedEnd> {
  const { call, before, after } = hookedCall
  const { step } = call
  const hooks = step === undefined ? undefined : hooksOf(step)
  if (step === undefined || hooks === undefined) throw new TypeError('the hooked call has no hooks')
  emitStepBegin(deps.emitter, step)
  const refusal =
    before === undefined ? undefined : await runBeforeHook(deps, { step, hooks, before })
  if (refusal !== undefined) {
    const end = failureEndOf({ message: refusal, status: 'ok' })
    await endHook(deps, after, { hookType: hooks.afterType, verdict: 'failed' })
    emitEnd(deps, step, end)
    return { end, operation: call.operation }
  }
  const { hookError, ...hookedEnd } = await callWithErrorHooks(deps, {
    step,
    hooks,
    after,
    call: call.operation,
  })
  await runAfterHook(deps, { step, hooks, after, end: hookedEnd.end, hookError })
  emitEnd(deps, step, hookedEnd.end)
  return hookedEnd
}

function emitEnd({ emitter }: HookDeps, step: Step, end: StepEnd): void {
  for (const view of end.views ?? []) emitter.emitBegin(view.step)
  emitter.emitEnd(step, end)
  emitter.count(step, end)
}

/** Runs the before hook. Returns the reason why the call may not run, or undefined when it may. */
async function runBeforeHook(
  deps: HookDeps,
  { step, hooks, before }: HookedStep & { readonly before: Operation },
): Promise<string | undefined> {
  const recordedResult = deps.earlierDecisions?.hookResultOf(before.id)
  const hookType = hooks.beforeType
  const error =
    recordedResult === undefined
      ? await runStepHooks(deps, { step, hooks, hookType })
      : recordedResult.error
  const verdict = error === undefined ? 'succeeded' : 'failed'
  await endHook(deps, before, { hookType, verdict, error })
  return error
}

async function runAfterHook(
  deps: HookDeps,
  hookedStep: HookedStep & {
    readonly after: Operation
    readonly end: StepEnd
    readonly hookError: string | undefined
  },
): Promise<void> {
  const { step, hooks, after, end, hookError } = hookedStep
  const { afterType: hookType } = hooks
  if (end.verdict !== 'succeeded')
    return endHook(deps, after, { hookType, verdict: 'failed', error: hookError })
  const recordedResult = deps.earlierDecisions?.hookResultOf(after.id)
  const resultState = end.state
  const error =
    recordedResult === undefined
      ? await runStepHooks(deps, { step, hooks, hookType, resultState })
      : recordedResult.error
  if (error === undefined) return endHook(deps, after, { hookType, verdict: 'succeeded' })
  deps.emitter.report('error', error, step.urn)
  const canContinue = deps.onHookFailed() === 'continue'
  // When the deployment ends because of this step, the step releases no other operation.
  return endHook(deps, after, { hookType, verdict: canContinue ? 'succeeded' : 'failed', error })
}

/**
 * Runs the hooks of one type. Returns the error of a failed hook. `resultState`: the state that
 * resulted from the step.
 */
function runStepHooks(
  deps: HookDeps,
  hookedStep: HookedStep & { readonly hookType: HookType; readonly resultState?: StepEnd['state'] },
): Promise<string | undefined> {
  const { step, hooks, hookType, resultState } = hookedStep
  return runHooks(deps, hookCallOf(step, hooks, { hookType, isPreview: false, resultState }))
}

/**
 * Ends a hook operation. Records the end in the log first. The log refuses a deposed generator,
 * which must not end the hook. Then writes the end into the head of the operation, where sweeps
 * find it, and releases the waiters of the operation. A repeated `endHook` changes nothing more.
 */
async function endHook(
  deps: HookDeps,
  operation: Operation,
  end: {
    readonly hookType: HookType
    readonly verdict: 'succeeded' | 'failed'
    readonly error?: string | undefined
  },
): Promise<void> {
  const { id, urn } = operation
  const { hookType, verdict, error } = end
  if (deps.earlierDecisions?.hookResultOf(id) === undefined)
    await deps.writer.append({
      kind: 'hooked',
      urn,
      hook: hookType,
      operation: id,
      verdict,
      ...(error === undefined ? {} : { error }),
    })
  await deps.operations.select(deps.deployment, id, { owner: '', attempt: 0, verdict })
  await deps.releaseWaiters(operation, verdict)
}
