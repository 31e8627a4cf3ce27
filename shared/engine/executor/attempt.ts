import { limits } from '../../config/limits.ts'
import { error, messageOf } from '../../errors/error.ts'
import type { Outcome } from '../../records/head.ts'
import {
  deploymentPartsOf,
  type DeploymentId,
  type EpochMs,
  type OwnerToken,
} from '../../records/ids.ts'
import { makesObject, type Operation } from '../../records/operation.ts'
import { emitStepBegin } from '../events/replace-events.ts'
import type { Step } from '../step.ts'
import { failureEndOf, type StepEnd } from '../step-end.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'
import { slowKeyOf } from './admission.ts'
import { retryUnavailable, type RetrySettings } from '../deployment/retry/retry.ts'
import { retryPolicy } from '../../providers/retry-policy.ts'
import { isRepeatable } from '../deployment/recovery/recover.ts'
import { perform } from './perform.ts'
import { performAgain } from './perform-again.ts'
import { viewOutcomeOf } from '../deployment/state/view-outcomes.ts'
import type { PerformDeps } from './provider-call.ts'

/** An operation that this executor began. */
interface Attempt {
  readonly operation: Operation
  readonly owner: OwnerToken
  readonly attempt: number
  /** Whether an earlier attempt may have called the provider. */
  readonly isAgain: boolean
}

/**
 * Calls the provider, and records the outcome and the end. Returns undefined when another process
 * ended the operation, and `again` when the operation has no owner any more and may begin again. An
 * error of the call ends the operation too: as failed if the provider was not called, otherwise as
 * interrupted. Only a store outage leaves it to recovery. Throws LEASE_LOST when the lease expired
 * before the call: this attempt did not call the provider.
 */
export async function callAndRecord(
  ports: ExecutorPorts,
  context: ExecutionContext,
  task: Attempt,
): Promise<StepEnd | 'again' | undefined> {
  const { emitter } = context
  const startedAt = ports.clock.now()
  const startedMs = ports.clock.monotonicMs()
  const step = await context.stepOf(task.operation).catch((thrown: unknown) => thrown)
  if (!isStep(step)) {
    const end = failureEndOf({ message: messageOf(step), status: 'ok' })
    return (await recordOutcome(ports, context, task, { end, startedAt })) ? end : undefined
  }
  const reportsStep = task.operation.hooked !== true
  if (reportsStep && !context.reported.has(task.operation.id)) emitStepBegin(emitter, step)
  if (reportsStep) context.reported.add(task.operation.id)
  const warn = (message: string): void => emitter.report('warning', message, step.urn)
  const onViewStep = reportsStep ? emitter.emitBegin : undefined
  const deps = {
    ...context.performing,
    warn,
    provider: requireLease(context),
    ...(onViewStep && { onViewStep }),
  }
  const end = task.isAgain
    ? await performAgain(step, deps)
    : await perform(step, { preview: false }, deps)
  // The time for writing the record does not count as time of the provider.
  const tookMs = ports.clock.monotonicMs() - startedMs
  if (mayRetryCall(context, task, end)) {
    warn(`${end.error?.message ?? 'the provider was lost'}; retrying`)
    const { operations } = ports
    const { id } = task.operation
    const lapse = (): Promise<boolean> =>
      operations.lapse(context.deployment, id, task.owner, task.attempt)
    return (await retryUnavailable(retryOptionsOf(ports, context, task.operation), lapse))
      ? 'again'
      : undefined
  }
  if (!(await recordOutcome(ports, context, task, { end, startedAt }))) return undefined
  if (reportsStep) emitter.emitEnd(step, end)
  await recordDuration(ports, context, step, tookMs)
  return end
}

/**
 * Returns provider instances only while the lease holds. Finding a step and starting its plugin
 * take time, and nothing may come between the lease check and the request.
 */
function requireLease(context: ExecutionContext): PerformDeps['provider'] {
  return async (reference, extension) => {
    const provider = await context.performing.provider(reference, extension)
    if (!context.holdsLease()) throw error('LEASE_LOST', 'the lease expired before the call')
    return provider
  }
}

/**
 * Reports whether an operation whose provider was lost during the call begins again on this
 * executor. It must be repeatable, and the deployment must not be abandoned. Source:
 * docs/architecture.md#resume.
 */
function mayRetryCall(context: ExecutionContext, task: Attempt, end: StepEnd): boolean {
  const isLost = end.verdict === 'interrupted' && !context.isAbandoned()
  return isLost && isRepeatable(task.operation) && task.attempt < limits.deliveriesMax
}

/** Returns the settings for retrying writes that must succeed. They report the first retry. */
function retryOptionsOf(
  ports: ExecutorPorts,
  context: ExecutionContext,
  operation: Operation,
): RetrySettings {
  return {
    clock: ports.clock,
    random: ports.random,
    backoff: retryPolicy.storeAfterCall.again,
    shouldRetry: () => !context.isAbandoned(),
    onRetry: why =>
      context.emitter.report(
        'warning',
        `the result cannot be saved yet; it is kept in memory and retried: ${why}`,
        operation.urn,
      ),
  }
}

/**
 * Stores the duration of a slow step for the next one of its kind, and also a later fast one.
 * Failures are ignored, because the duration is only an estimate.
 */
async function recordDuration(
  ports: ExecutorPorts,
  { deployment, knownDurations }: ExecutionContext,
  step: Step,
  ms: number,
): Promise<void> {
  const key = slowKeyOf(step)
  if (key === undefined || Math.max(ms, knownDurations.get(key) ?? 0) < limits.slowMs) return
  knownDurations.set(key, ms)
  const { stack } = deploymentPartsOf(deployment)
  await ports.catalog.noteSlow(stack, key, ms).catch(() => undefined)
}

function isStep(found: unknown): found is Step {
  return typeof found === 'object' && found !== null && 'effect' in found
}

function viewsOf({ views }: StepEnd, { sealing }: ExecutionContext): Pick<Outcome, 'views'> {
  if (views === undefined || views.length === 0) return {}
  return { views: views.map(view => viewOutcomeOf(view, sealing)) }
}

/** Writes the outcome and selects it. Returns false when another process ended the operation. */
async function recordOutcome(
  ports: ExecutorPorts,
  context: ExecutionContext,
  task: Attempt,
  { end, startedAt }: { readonly end: StepEnd; readonly startedAt: EpochMs },
): Promise<boolean> {
  const { deployment } = context
  const { operation, owner, attempt } = task
  const { id } = operation
  const retryOptions = retryOptionsOf(ports, context, operation)
  const { verdict } = end
  const select = (): Promise<boolean> =>
    retryUnavailable(retryOptions, () =>
      ports.operations.select(deployment, id, { owner, attempt, verdict }),
    )
  if (verdict === 'interrupted') return select()
  const outcome: Outcome = {
    operation: id,
    attempt,
    verdict,
    ...(end.state === undefined ? {} : { state: context.sealing.seal(end.state) }),
    ...(end.resultOp === undefined ? {} : { resultOp: end.resultOp }),
    ...(end.error === undefined ? {} : { error: end.error }),
    ...viewsOf(end, context),
    startedAt,
    endedAt: ports.clock.now(),
  }
  await retryUnavailable(retryOptions, () => ports.operations.putOutcome(deployment, outcome))
  const isSelected = await select()
  if (!isSelected)
    await retryUnavailable(retryOptions, () =>
      saveLateOutcome(ports, deployment, operation, outcome),
    )
  return isSelected
}

/**
 * Puts a created resource into the stack's inbox when another process has ended its operation
 * meanwhile, unless that end is this outcome (I9). This happens before the message is removed.
 */
async function saveLateOutcome(
  ports: ExecutorPorts,
  deployment: DeploymentId,
  operation: Operation,
  { attempt, state }: Outcome,
): Promise<void> {
  if (state === undefined || !makesObject(operation)) return
  const { id, urn } = operation
  const head = (await ports.operations.getHeads(deployment, [id])).get(id)
  if (head?.end?.attempt === attempt && head.end.verdict !== 'interrupted') return
  const { stack } = deploymentPartsOf(deployment)
  await ports.catalog.putLate(stack, { deployment, operation: id, attempt, urn, state })
}
