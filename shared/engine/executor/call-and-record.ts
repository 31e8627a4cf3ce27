import { limits } from '../../config/limits.ts'
import { createError, messageOf } from '../../errors/error.ts'
import type { Outcome } from '../../records/head.ts'
import {
  deploymentPartsOf,
  type DeploymentId,
  type EpochMs,
  type OwnerToken,
} from '../../records/ids.ts'
import { createsObject, type Operation } from '../../records/operation.ts'
import { emitStepBegin } from '../events/replace-events.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { Step } from '../step.ts'
import { failureEndOf, type StepEnd } from '../step-end.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'
import type { OperationObservation } from '../telemetry/observe-operation.ts'
import { durationKeyOf } from './duration-key.ts'
import { retryStoreCall, type RetrySettings } from '../deployment/retry/retry-store-call.ts'
import { retryPolicy } from '../../providers/retry-policy.ts'
import { isRepeatable } from '../deployment/recovery/recover.ts'
import { performStep } from './perform-step.ts'
import { performAgain } from './perform-again.ts'
import { viewOutcomeOf } from '../deployment/state/view-outcomes.ts'
import type { PerformDeps } from './provider-call.ts'

/** An operation that this executor began. */
interface BegunOperation {
  readonly operation: Operation
  readonly owner: OwnerToken
  readonly attempt: number
  /** Whether an earlier attempt may have called the provider. */
  readonly isRepeat: boolean
  /** Whether the call has limits. */
  readonly isLimited: boolean
  /** Called once after a successful call of the provider. */
  readonly onCallSuccess: () => void
  /** Called with the error of a failed call. */
  readonly onCallError: (thrown: unknown) => void
  readonly observation: OperationObservation
}

/**
 * Calls the provider, and records the outcome and the end. Returns undefined when another process
 * has ended or recovered the operation. Returns `again` when the operation lost its owner and may
 * begin again. An error of the call also ends the operation: as interrupted if the connection was
 * lost after the request, otherwise as failed or partial. After a store outage that outlasts the
 * retries, throws the store's error, and the operation has no end until its recovery. Throws
 * LEASE_LOST when the lease expired before the call, so this attempt did not call the provider.
 */
export async function callAndRecord(
  ports: ExecutorPorts,
  context: ExecutionContext,
  begunOperation: BegunOperation,
): Promise<StepEnd | 'again' | undefined> {
  const { emitter } = context
  const startedAt = ports.clock.now()
  const startedMs = ports.clock.monotonicMs()
  const openResult = await context
    .openStep(begunOperation.operation)
    .catch((thrown: unknown) => thrown)
  // Without its opened step, the operation cannot call the provider, so it fails.
  if (!isStep(openResult)) {
    const end = failureEndOf({ message: messageOf(openResult), status: 'ok' })
    return (await recordOutcome(ports, context, begunOperation, { end, startedAt }))
      ? end
      : undefined
  }
  const step = openResult
  // The generator reports a step with hooks.
  const mustReportStep = begunOperation.operation.hooked !== true
  if (mustReportStep && !context.reportedOperations.has(begunOperation.operation.id))
    emitStepBegin(emitter, step)
  if (mustReportStep) context.reportedOperations.add(begunOperation.operation.id)
  const warn = (message: string): void => emitter.report('warning', message, step.urn)
  const onViewStep = mustReportStep ? emitter.emitBegin : undefined
  const pauses = measurePauses(ports, context.performDeps.beforeRetry)
  const deps = {
    ...context.performDeps,
    beforeRetry: async (retryIndex: number, reason: string) => {
      begunOperation.observation.countRetry('not-sent')
      await pauses.beforeRetry(retryIndex, reason)
    },
    warn,
    provider: requireLease(context),
    ...(onViewStep && { onViewStep }),
    onCallError: begunOperation.onCallError,
  }
  const { observation } = begunOperation
  const end = await observation.runWithin(() =>
    begunOperation.isRepeat
      ? performAgain(step, deps)
      : performStep(step, { preview: false }, deps),
  )
  // The duration is that of the call, without the writes of its records.
  const durationMs = ports.clock.monotonicMs() - startedMs
  if (mayRetryCall(context, begunOperation, end)) {
    warn(`${end.error?.message ?? 'the provider was lost'}; retrying`)
    observation.countRetry('provider-lost')
    const { operations } = ports
    const { id } = begunOperation.operation
    const lapse = (): Promise<boolean> =>
      operations.lapse(context.deployment, id, begunOperation.owner, begunOperation.attempt)
    return (await saveResult(ports, context, begunOperation.operation, lapse)) ? 'again' : undefined
  }
  if (end.verdict === 'succeeded') begunOperation.onCallSuccess()
  const old = step.old?.state
  const { pausedMs } = pauses
  if (!(await recordOutcome(ports, context, begunOperation, { end, startedAt, pausedMs, old })))
    return undefined
  observation.end(end, begunOperation.attempt)
  if (mustReportStep) emitter.emitEnd(step, end)
  await recordDuration(ports, context, step, durationMs)
  return end
}

/**
 * Creates a function that returns provider instances only while the executor holds its lease.
 * Resolving the provider and starting its plugin take time, so the lease is checked directly before
 * the request.
 */
function requireLease(context: ExecutionContext): PerformDeps['provider'] {
  return async (reference, extension) => {
    const provider = await context.performDeps.provider(reference, extension)
    if (!context.holdsLease()) throw createError('LEASE_LOST', 'the lease expired before the call')
    return provider
  }
}

/** Creates a callback for retries that adds up their pauses. */
function measurePauses(
  { clock }: Pick<ExecutorPorts, 'clock'>,
  pause: PerformDeps['beforeRetry'],
): { readonly beforeRetry: PerformDeps['beforeRetry']; readonly pausedMs: number } {
  const pauses = {
    pausedMs: 0,
    beforeRetry: async (retryIndex: number, reason: string): Promise<void> => {
      const startedMs = clock.monotonicMs()
      await pause(retryIndex, reason)
      pauses.pausedMs += clock.monotonicMs() - startedMs
    },
  }
  return pauses
}

/**
 * Reports whether an operation whose provider was lost during the call begins again on this
 * executor. The operation must be repeatable and have attempts left, and the deployment must not be
 * abandoned. Source: docs/architecture.md#resume.
 */
function mayRetryCall(
  context: ExecutionContext,
  begunOperation: BegunOperation,
  end: StepEnd,
): boolean {
  return (
    end.verdict === 'interrupted' &&
    !context.isAbandoned() &&
    isRepeatable(begunOperation.operation) &&
    begunOperation.attempt < limits.deliveriesMax
  )
}

/**
 * Retries a write of a result that only this process has. The first retry is reported as a warning.
 * During the retries no further operation begins, so a store that accepts no results stops further
 * calls. Throws the store's last error.
 */
async function saveResult<T>(
  ports: ExecutorPorts,
  context: ExecutionContext,
  operation: Operation,
  write: () => Promise<T>,
): Promise<T> {
  let resumeSlots = (): void => {}
  const retrySettings: RetrySettings = {
    clock: ports.clock,
    random: ports.random,
    backoff: retryPolicy.storeAfterCall.retry,
    shouldRetry: () => !context.isAbandoned(),
    onFirstRetry: reason => {
      resumeSlots = context.slots.suspend()
      context.emitter.report(
        'warning',
        `the result cannot be saved yet; it is kept in memory and retried: ${reason}`,
        operation.urn,
      )
    },
  }
  try {
    return await retryStoreCall(retrySettings, write)
  } finally {
    resumeSlots()
  }
}

/**
 * Stores the duration of a slow step as an estimate for the next step of its kind. A fast duration
 * is stored only if it replaces a slow one. Failures are ignored, because the duration is only an
 * estimate.
 */
async function recordDuration(
  ports: ExecutorPorts,
  { deployment, earlierDurationsMs }: ExecutionContext,
  step: Step,
  durationMs: number,
): Promise<void> {
  const key = durationKeyOf(step)
  if (
    key === undefined ||
    Math.max(durationMs, earlierDurationsMs.get(key) ?? 0) < limits.slowOperationMs
  )
    return
  earlierDurationsMs.set(key, durationMs)
  const { stack } = deploymentPartsOf(deployment)
  await ports.catalog.recordSlowOperation(stack, key, durationMs).catch(() => undefined)
}

function isStep(value: unknown): value is Step {
  return typeof value === 'object' && value !== null && 'effect' in value
}

function outcomeViewsOf({ views }: StepEnd, { sealing }: ExecutionContext): Pick<Outcome, 'views'> {
  if (views === undefined || views.length === 0) return {}
  return { views: views.map(view => viewOutcomeOf(view, sealing)) }
}

/**
 * Writes the outcome of an attempt, and selects the attempt as the end. An interrupted attempt has
 * no outcome. Returns false when another process ended or recovered the operation.
 */
async function recordOutcome(
  ports: ExecutorPorts,
  context: ExecutionContext,
  begunOperation: BegunOperation,
  {
    end,
    startedAt,
    pausedMs = 0,
    old,
  }: {
    readonly end: StepEnd
    readonly startedAt: EpochMs
    readonly pausedMs?: number
    /** The state before the step. In the new state, unchanged secrets keep its ciphertexts. */
    readonly old?: ResourceState | undefined
  },
): Promise<boolean> {
  const { deployment } = context
  const { operation, owner, attempt, isLimited } = begunOperation
  const { id } = operation
  const save = <T>(write: () => Promise<T>): Promise<T> =>
    saveResult(ports, context, operation, write)
  const { verdict } = end
  const select = (): Promise<boolean> =>
    save(() => ports.operations.select(deployment, id, { owner, attempt, verdict }))
  if (verdict === 'interrupted') return select()
  const outcome: Outcome = {
    operation: id,
    attempt,
    verdict,
    ...(end.state === undefined ? {} : { state: context.sealing.seal(end.state, old) }),
    ...(end.resultOp === undefined ? {} : { resultOp: end.resultOp }),
    ...(end.error === undefined ? {} : { error: end.error }),
    ...outcomeViewsOf(end, context),
    startedAt,
    endedAt: ports.clock.now(),
    ...(pausedMs > 0 ? { pausedMs } : {}),
    ...(isLimited ? { isLimited } : {}),
  }
  await save(() => ports.operations.putOutcome(deployment, outcome))
  const isSelected = await select()
  if (!isSelected) await save(() => saveLateOutcome(ports, deployment, operation, outcome))
  return isSelected
}

/**
 * Puts a created resource into the stack's inbox when another process has ended its operation
 * meanwhile. Does nothing if that end selected this outcome (I9). The message of the operation is
 * removed only after this write.
 */
async function saveLateOutcome(
  ports: ExecutorPorts,
  deployment: DeploymentId,
  operation: Operation,
  { attempt, state }: Outcome,
): Promise<void> {
  if (state === undefined || !createsObject(operation)) return
  const { id, urn } = operation
  const head = (await ports.operations.getHeads(deployment, [id])).get(id)
  if (head?.end?.attempt === attempt && head.end.verdict !== 'interrupted') return
  const { stack } = deploymentPartsOf(deployment)
  await ports.catalog.putLateOutcome(stack, { deployment, operation: id, attempt, urn, state })
}
