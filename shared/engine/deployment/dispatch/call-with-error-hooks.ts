import { limits } from '../../../config/limits.ts'
import type { OutcomeError } from '../../../records/head.ts'
import { createsObject, type Operation } from '../../../records/operation.ts'
import { hookCallOf, type StepHooks } from '../../hooks.ts'
import type { Step } from '../../step.ts'
import type { StepEnd } from '../../step-end.ts'
import type { RecordedEnd } from '../ends/end-watcher.ts'
import { stepEndOf } from '../ends/open-recorded-end.ts'
import { toChainMessages } from './chain-messages.ts'
import { createHookRedactor, type HookDeps } from './run-hooks.ts'

/** The end of a call with hooks. */
export interface HookedEnd {
  readonly end: StepEnd
  /** The operation of the call, or of its last retry. */
  readonly operation: Operation
  /** The recorded end of `operation`. Absent when the call never ran. */
  readonly recordedEnd?: RecordedEnd
}

/** A step with its hooks. */
export interface HookedStep {
  readonly step: Step
  readonly hooks: StepHooks
}

/**
 * Returns the final end of the call. Each time that an error hook requests a retry, the call runs
 * again as another operation. `hookError`: the message that replaces that of the call, because an
 * error hook failed or requested too many retries.
 */
export async function callWithErrorHooks(
  deps: HookDeps,
  hookedStep: HookedStep & { readonly after: Operation; readonly call: Operation },
): Promise<HookedEnd & { readonly hookError?: string }> {
  const errors: string[] = []
  for (let operation = hookedStep.call; ; ) {
    const recordedEnd = await deps.watcher.wait(operation.id)
    const end = stepEndOf(recordedEnd, deps.sealing)
    if (!isFailedCall(end)) return { end, operation, recordedEnd }
    errors.unshift(end.error.message)
    const retryResult = await prepareRetry(deps, { ...hookedStep, operation, end, errors })
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
    readonly end: StepEnd
    readonly errors: readonly string[]
  },
): Promise<Operation | string | undefined> {
  const { step, hooks, after, operation, end, errors } = failedCall
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
  const retry = deps.retriesCreateAsUpdate ? retryOf(operation, end) : operation
  const retryOperation = { ...retry, id: deps.nextId(), needs: 0 }
  await deps.writer.append({ kind: 'retried', of: operation.id, operation: retryOperation })
  await sendOperation(deps, retryOperation)
  return retryOperation
}

/**
 * Returns the operation that repeats a failed call. The object of a partially failed create exists,
 * so an update completes it. Source: Pulumi's pkg/resource/deploy/step.go, CreateStep.Apply,
 * version 3.274.1.
 */
function retryOf(operation: Operation, { verdict }: Pick<StepEnd, 'verdict'>): Operation {
  const isPartialCreate = verdict === 'partial' && createsObject(operation)
  if (!isPartialCreate && operation.completesCreate !== true) return operation
  const old =
    verdict === 'partial'
      ? ({ kind: 'operation', operation: operation.id } as const)
      : operation.old
  return {
    ...operation,
    op: 'update',
    effect: 'replace',
    completesCreate: true,
    ...(old === undefined ? {} : { old }),
  }
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
