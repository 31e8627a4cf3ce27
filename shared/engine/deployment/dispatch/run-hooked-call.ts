import { limits } from '../../../config/limits.ts'
import type { ChainQueuePort } from '../../../ports/queue.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'
import type { OutcomeError } from '../../../records/head.ts'
import { createRedactor, collectSecretTexts } from '../../../values/redact-secrets.ts'
import { emitStepBegin } from '../../events/replace-events.ts'
import type { StepEmitter } from '../../events/step-emitter.ts'
import {
  type HookCall,
  hooksOf,
  type HookType,
  hookCallOf,
  type ProgramHooks,
  type StepHooks,
} from '../../hooks.ts'
import type { Step } from '../../step.ts'
import { failureEndOf, type StepEnd } from '../../step-end.ts'
import { toChainMessages } from './chain-messages.ts'
import type { EndWatcher, RecordedEnd } from '../ends/end-watcher.ts'
import type { HookedCall } from './hook-operations.ts'
import type { LogWriter } from '../log/log-writer.ts'
import type { DecisionIndex } from '../log/decision-index.ts'
import { stepEndOf } from '../ends/recorded-end.ts'
import type { Sealing } from '../state/state-sealing.ts'

/** The dependencies of running a call with hooks. */
export interface HookDeps {
  readonly deployment: DeploymentId
  readonly writer: LogWriter
  readonly operations: OperationsPort
  readonly chains: ChainQueuePort
  readonly watcher: EndWatcher
  readonly sealing: Sealing
  readonly emitter: StepEmitter
  readonly earlierDecisions: DecisionIndex | undefined
  readonly nextId: () => OperationId
  readonly hooks: ProgramHooks
  /**
   * Records the arrivals of an operation that the generator ended, and sends the operations that
   * became ready.
   */
  readonly releaseWaiters: (operation: Operation, verdict: 'succeeded' | 'failed') => Promise<void>
  /** Called when a hook failed after its step had succeeded. Returns whether to continue. */
  readonly onHookFailed: () => 'continue' | 'abort'
}

/** The end of a call with hooks. */
export interface HookedEnd {
  readonly end: StepEnd
  /** The operation of the call, or of its last retry. */
  readonly operation: Operation
  /** The recorded end of `operation`. Absent when the call never ran. */
  readonly recordedEnd?: RecordedEnd
}

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
    await endHook(deps, after, { hook: hooks.afterType, verdict: 'failed' })
    emitEnd(deps, step, end)
    return { end, operation: call.operation }
  }
  const { hookError, ...hookedEnd } = await callWithRetries(deps, {
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

/** A step with its hooks. */
interface HookedStep {
  readonly step: Step
  readonly hooks: StepHooks
}

/** Runs the before hook. Returns the reason why the call may not run, or undefined when it may. */
async function runBeforeHook(
  deps: HookDeps,
  { step, hooks, before }: HookedStep & { readonly before: Operation },
): Promise<string | undefined> {
  const recordedResult = deps.earlierDecisions?.hookResultOf(before.id)
  const hook = hooks.beforeType
  const error =
    recordedResult === undefined
      ? await runStepHooks(deps, { step, hooks, hook })
      : recordedResult.error
  const verdict = error === undefined ? 'succeeded' : 'failed'
  await endHook(deps, before, { hook, verdict, error })
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
  const { afterType: hook } = hooks
  if (end.verdict !== 'succeeded')
    return endHook(deps, after, { hook, verdict: 'failed', error: hookError })
  const recordedResult = deps.earlierDecisions?.hookResultOf(after.id)
  const resultState = end.state
  const error =
    recordedResult === undefined
      ? await runStepHooks(deps, { step, hooks, hook, resultState })
      : recordedResult.error
  if (error === undefined) return endHook(deps, after, { hook, verdict: 'succeeded' })
  deps.emitter.report('error', error, step.urn)
  const canContinue = deps.onHookFailed() === 'continue'
  // When the deployment ends because of this step, the step releases no other operation.
  return endHook(deps, after, { hook, verdict: canContinue ? 'succeeded' : 'failed', error })
}

/**
 * Runs the hooks of one type. Returns the error of a failed hook. `resultState`: the state that
 * resulted from the step.
 */
function runStepHooks(
  deps: HookDeps,
  hookedStep: HookedStep & { readonly hook: HookType; readonly resultState?: StepEnd['state'] },
): Promise<string | undefined> {
  const { step, hooks, hook: hookType, resultState } = hookedStep
  return runHooks(deps, hookCallOf(step, hooks, { hookType, isPreview: false, resultState }))
}

/** Runs the hooks of one type and reports ignored failures. Returns the error of a failed hook. */
export async function runHooks(
  { hooks, emitter }: Pick<HookDeps, 'hooks' | 'emitter'>,
  hookCall: HookCall,
): Promise<string | undefined> {
  if (hookCall.names.length === 0) return undefined
  const { error, warnings } = await hooks.run(hookCall)
  const redact = createHookRedactor(hookCall)
  for (const warning of warnings) emitter.report('warning', redact(warning), hookCall.urn)
  return error === undefined ? undefined : redact(error)
}

/**
 * Returns the final end of the call. Each time that an error hook requests a retry, the call runs
 * again as another operation. `hookError`: the message that replaces that of the call, because an
 * error hook failed or requested too many retries.
 */
async function callWithRetries(
  deps: HookDeps,
  hookedStep: HookedStep & { readonly after: Operation; readonly call: Operation },
): Promise<HookedEnd & { readonly hookError?: string }> {
  const errors: string[] = []
  for (let operation = hookedStep.call; ; ) {
    const recordedEnd = await deps.watcher.wait(operation.id)
    const end = stepEndOf(recordedEnd, deps.sealing)
    if (!isFailedCall(end)) return { end, operation, recordedEnd }
    errors.unshift(end.error.message)
    const retryResult = await prepareRetry(deps, { ...hookedStep, operation, errors })
    if (typeof retryResult === 'string')
      return {
        end: { ...end, error: { ...end.error, message: retryResult } },
        operation,
        recordedEnd,
        hookError: retryResult,
      }
    if (retryResult === undefined) return { end, operation, recordedEnd }
    operation = retryResult
  }
}

/**
 * Reports whether the provider reported that a call failed. Error hooks are not called when the
 * result is unknown.
 */
function isFailedCall(end: StepEnd): end is StepEnd & { readonly error: OutcomeError } {
  if (end.error === undefined) return false
  return end.verdict === 'partial' || (end.verdict === 'failed' && end.error.code !== undefined)
}

/**
 * Returns the operation that retries a failed call, or an error message that replaces the original
 * one. Returns undefined if the call is not retried and keeps its error.
 */
async function prepareRetry(
  deps: HookDeps,
  failedCall: HookedStep & {
    readonly after: Operation
    readonly operation: Operation
    readonly errors: readonly string[]
  },
): Promise<Operation | string | undefined> {
  const { step, hooks, after, operation, errors } = failedCall
  const recordedRetry = deps.earlierDecisions?.retryOf(operation.id)
  if (recordedRetry !== undefined) {
    await sendOperation(deps, recordedRetry)
    return recordedRetry
  }
  const warn = (message: string): void => deps.emitter.report('warning', message, step.urn)
  const triesMax = limits.errorHookTriesMax
  if (errors.length >= triesMax) {
    warn(`maximum number of error hook retries (${triesMax}) reached`)
    return `maximum number of error hook retries reached`
  }
  const recordedHook = deps.earlierDecisions?.hookResultOf(after.id)
  if (recordedHook !== undefined) return recordedHook.error
  const hookCall = hookCallOf(step, hooks, { hookType: 'OnError', isPreview: false })
  const failure = { operation: hooks.operationKind, errors }
  const { mustRetry, error } = await deps.hooks.requestRetry(hookCall, failure)
  if (error !== undefined)
    return createHookRedactor(hookCall)(`error hooks execution failed: ${error}`)
  if (!mustRetry) return undefined
  warn(
    `retrying ${hooks.operationKind} due to on-error hook request (${errors.length}/${triesMax})`,
  )
  const retryOperation = { ...operation, id: deps.nextId(), needs: 0 }
  await deps.writer.append({ kind: 'retried', of: operation.id, operation: retryOperation })
  await sendOperation(deps, retryOperation)
  return retryOperation
}

/**
 * Sends one operation. A repeated send has no effect, because the executor drops an operation that
 * is running or has ended.
 */
async function sendOperation(
  { chains, deployment }: HookDeps,
  operation: Operation,
): Promise<void> {
  await chains.send(toChainMessages(deployment, [operation]))
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
    readonly hook: HookType
    readonly verdict: 'succeeded' | 'failed'
    readonly error?: string | undefined
  },
): Promise<void> {
  const { id, urn } = operation
  const { hook, verdict, error } = end
  if (deps.earlierDecisions?.hookResultOf(id) === undefined)
    await deps.writer.append({
      kind: 'hooked',
      urn,
      hook,
      operation: id,
      verdict,
      ...(error === undefined ? {} : { error }),
    })
  await deps.operations.select(deps.deployment, id, { owner: '', attempt: 0, verdict })
  await deps.releaseWaiters(operation, verdict)
}

/**
 * Creates a function that replaces the secrets of a hook's arguments in texts. A hook may repeat
 * its arguments, and no secret may get into a record or event (I8).
 */
function createHookRedactor({ next, old }: HookCall): (text: string) => string {
  return createRedactor(collectSecretTexts(next?.inputs, next?.outputs, old?.inputs, old?.outputs))
}
