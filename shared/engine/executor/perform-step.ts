/**
 * executor: runs the operations of the log: begin, provider call, outcome, end, arrivals. Imports
 * providers and below, and the engine's call-limits, deployment, steps and events.
 *
 * Invariants I1-I5: a provider is called only after a durable begin and a control read that shows
 * no stop. The store enforces needs and the single end. Queue messages are not trusted.
 */
import { ProviderError } from '../../providers/provider-error.ts'
import { messageOf } from '../../errors/error.ts'
import type { OutcomeError } from '../../records/head.ts'
import type { ResourceState } from '../../state/resource.ts'
import { createRedactor, collectSecretTexts } from '../../values/redact-secrets.ts'
import { markSecretOutputs } from '../secret-outputs.ts'
import type { Step } from '../step.ts'
import { refuseProtectedDelete } from './refuse-protected-delete.ts'
import { failureEndOf, type StepEnd, successEndOf } from '../step-end.ts'
import { performImport } from './perform-import.ts'
import { performRead } from './perform-read.ts'
import { performRefresh } from './perform-refresh.ts'
import {
  callStepProvider,
  type PerformDeps,
  toCompletionRequest,
  toCreateRequest,
  toDeleteRequest,
  toUpdateRequest,
} from './provider-call.ts'
import { previewViewDeletes, recordViews, withViews } from './record-views.ts'
import { chooseVerdictAfterError } from '../../providers/retry-policy.ts'

/** Whether a step is performed for a preview, which changes nothing. */
export interface PerformMode {
  readonly preview: boolean
}

/**
 * Requests one step from its provider and returns the end of the step. A failure of the provider is
 * part of the end. Throws only LEASE_LOST, for a call that is no longer allowed. Source:
 * docs/spec/step-execution.md#step-kinds, docs/spec/step-execution.md#failure-classes,
 * docs/spec/step-execution.md#secret-outputs.
 */
export async function performStep(
  step: Step,
  mode: PerformMode,
  deps: PerformDeps,
): Promise<StepEnd> {
  try {
    const redact = createStepRedactor(step)
    const warn = (message: string): void => deps.warn(redact(message))
    const end = await performWithViews(step, mode, { ...deps, warn })
    const state = end.state === undefined ? undefined : toSafeState(end.state, deps, redact)
    return { ...end, state, error: redactError(step, end.error) }
  } catch (thrown) {
    const verdict = chooseVerdictAfterError(thrown)
    // No verdict means that the provider was not called. The caller decides about the operation.
    if (verdict === undefined) throw thrown
    deps.onCallError?.(thrown)
    const error = redactError(step, outcomeErrorOf(thrown))
    return { verdict, state: undefined, resultOp: undefined, error }
  }
}

/**
 * Replaces the secrets of a step in the message of an error. The message may repeat inputs, and no
 * secret may get into a record or event (I8).
 */
function redactError<E extends OutcomeError | undefined>(step: Step, error: E): E {
  if (error === undefined) return error
  return { ...error, message: createStepRedactor(step)(error.message) }
}

/**
 * Creates a function that replaces the secrets of a step in texts. Most steps need no redaction, so
 * the secrets are collected at the first call.
 */
function createStepRedactor({ next, old }: Step): (text: string) => string {
  let redact: ((text: string) => string) | undefined
  return text => {
    redact ??= createRedactor(
      collectSecretTexts(next?.inputs, old?.state.inputs, old?.state.outputs),
    )
    return redact(text)
  }
}

/**
 * Marks secret outputs, and replaces secrets in the provider's reasons for an unhealthy resource.
 */
function toSafeState(
  state: ResourceState,
  deps: PerformDeps,
  redact: (text: string) => string,
): ResourceState {
  const markedState = markSecretOutputs(state, deps.warn)
  return { ...markedState, initErrors: markedState.initErrors.map(redact) }
}

/**
 * Performs the call of a step. Records the view steps that the provider reports during the call,
 * even if the call fails.
 */
async function performWithViews(
  step: Step,
  mode: PerformMode,
  deps: PerformDeps,
): Promise<StepEnd> {
  if (deps.views === undefined) return performCall(step, mode, deps)
  const viewedCall = recordViews(step, deps.views, deps.onViewStep ?? (() => undefined))
  try {
    const end = await performCall(step, mode, { ...deps, viewRequest: viewedCall.viewRequest })
    return withViews(step, end, [...(end.views ?? []), ...viewedCall.close()])
  } catch (thrown) {
    const verdict = chooseVerdictAfterError(thrown)
    const views = viewedCall.close()
    if (verdict === undefined || views.length === 0) throw thrown
    const end = { verdict, state: undefined, resultOp: undefined, error: outcomeErrorOf(thrown) }
    return { ...end, views }
  }
}

function performCall(step: Step, mode: PerformMode, deps: PerformDeps): Promise<StepEnd> {
  switch (step.op) {
    case 'create':
    case 'create-replacement':
      return performCreate(step, mode, deps)
    case 'update':
      return performUpdate(step, mode, deps)
    case 'delete':
    case 'delete-replaced':
    case 'discard':
    case 'discard-replaced':
      return performDelete(step, mode, deps)
    case 'read':
    case 'read-replacement':
      return performRead(step, deps)
    case 'import':
    case 'import-replacement':
      return performImport(step, mode, deps)
    case 'refresh':
      return performRefresh(step, deps)
    case 'same':
    case 'replace':
    case 'remove-pending-replace':
    case 'join':
    case 'hook':
      return Promise.resolve(successEndOf(step.next))
    default:
      return step.op satisfies never
  }
}

async function performCreate(step: Step, mode: PerformMode, deps: PerformDeps): Promise<StepEnd> {
  const next = requireState(step.next)
  const request = toCreateRequest(next, mode, deps)
  const now = deps.timestamp()
  const timeFields = mode.preview ? {} : { created: now, modified: now }
  try {
    const createResult = await callStepProvider(deps, step, provider => provider.create(request))
    if (createResult.id === '' && !mode.preview)
      return failureEndOf({
        message: `plugin returned empty resource.ID from create '${step.urn}'`,
        status: 'unknown',
      })
    const { id, outputs, refreshBeforeUpdate } = createResult
    return successEndOf({
      ...next,
      id,
      outputs,
      refreshBeforeUpdate,
      initErrors: [],
      ...timeFields,
    })
  } catch (thrown) {
    const partial = thrown instanceof ProviderError ? thrown.partialResource : undefined
    if (partial === undefined) throw thrown
    if (partial.id === '')
      return failureEndOf({
        message: `plugin returned empty resource.ID from create '${step.urn}'`,
        status: 'unknown',
      })
    const { id, outputs, reasons, refreshBeforeUpdate } = partial
    return toPartialEnd(thrown, {
      ...next,
      id,
      outputs,
      refreshBeforeUpdate,
      initErrors: reasons,
      ...timeFields,
    })
  }
}

async function performUpdate(step: Step, mode: PerformMode, deps: PerformDeps): Promise<StepEnd> {
  const next = requireState(step.next)
  const old = requireState(step.old?.state)
  const toRequest = step.completesCreate === true ? toCompletionRequest : toUpdateRequest
  const request = toRequest({ old, next }, mode, deps)
  const plannedState = { ...next, id: old.id, created: old.created, modified: old.modified }
  const timeFields = mode.preview ? {} : { modified: deps.timestamp() }
  try {
    const updateResult = await callStepProvider(deps, step, provider => provider.update(request))
    const { outputs, refreshBeforeUpdate } = updateResult
    return successEndOf({
      ...plannedState,
      outputs,
      refreshBeforeUpdate,
      initErrors: [],
      ...timeFields,
    })
  } catch (thrown) {
    const partial = thrown instanceof ProviderError ? thrown.partialResource : undefined
    if (partial === undefined) throw thrown
    // The new inputs did not take effect, so the next deployment must find the difference again
    // (docs/spec/step-execution.md#failure-classes).
    const { outputs, reasons, refreshBeforeUpdate } = partial
    const state = {
      ...plannedState,
      inputs: old.inputs,
      outputs,
      refreshBeforeUpdate,
      initErrors: reasons,
      ...timeFields,
    }
    return toPartialEnd(thrown, state)
  }
}

async function performDelete(step: Step, mode: PerformMode, deps: PerformDeps): Promise<StepEnd> {
  const old = requireState(step.old?.state)
  const refusal = refuseProtectedDelete(step, old)
  if (refusal !== undefined) return refusal
  if (mode.preview) {
    const views = previewViewDeletes(step)
    for (const view of views) deps.onViewStep?.(view.step)
    return { ...successEndOf(undefined), views }
  }
  if (step.skipCall) return successEndOf(undefined)
  const request = toDeleteRequest(step, old, deps)
  await callStepProvider(deps, step, provider => provider.delete(request))
  return successEndOf(undefined)
}

/** Returns the error of an outcome for an exception of a provider call. */
function outcomeErrorOf(thrown: unknown): OutcomeError {
  if (!(thrown instanceof ProviderError)) return { message: messageOf(thrown), status: 'ok' }
  const status = thrown.status === 'ok' ? 'ok' : thrown.status === 'partial' ? 'partial' : 'unknown'
  return { message: thrown.message, status, code: String(thrown.code) }
}

function toPartialEnd(thrown: unknown, state: ResourceState): StepEnd {
  const outcomeError = outcomeErrorOf(thrown)
  const message = formatReasons(state.initErrors) || outcomeError.message
  const error: OutcomeError = { ...outcomeError, message, status: 'partial' }
  return { verdict: 'partial', state, resultOp: undefined, error }
}

/**
 * Returns the reasons why a resource is not ready, in Pulumi's format. Returns '' if there are
 * none.
 */
function formatReasons(reasons: readonly string[]): string {
  if (reasons.length === 0) return ''
  const count = reasons.length === 1 ? '1 error' : `${reasons.length} errors`
  return `${count} occurred:\n${reasons.map(reason => `\t* ${reason}\n`).join('')}\n`
}

function requireState<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('the step has no state, which its kind requires')
  return value
}
