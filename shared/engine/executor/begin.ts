import type { BeginRequest, OperationsPort } from '../../ports/records.ts'
import type { Head } from '../../records/head.ts'
import type { ExecutorId, OperationId, OwnerToken } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { OperationSlot } from '../deployment/dispatch/operation-slots.ts'
import { retryStoreCall, type RetrySettings } from '../deployment/retry/retry-store-call.ts'
import { isRepeatable } from '../deployment/recovery/recover.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'
import { errorSourceOf, retryPolicy } from '../../providers/retry-policy.ts'

/** The deployment of a begin, and the status of its executor. */
export type BeginContext = Pick<
  ExecutionContext,
  'deployment' | 'holdsLease' | 'isAbandoned' | 'onUnsettledBegin' | 'slots'
>

/** The ports that a begin uses. */
export type BeginPorts = Pick<ExecutorPorts, 'operations' | 'control' | 'clock' | 'random'>

/** An attempt that did not call the provider. */
export interface UncalledAttempt {
  readonly id: OperationId
  readonly owner: OwnerToken
  readonly attempt: number
}

/** The result of a begin. */
export type BeginDecision =
  /**
   * The provider may be called once. `isRepeat`: an earlier attempt may have called the provider.
   */
  | {
      readonly kind: 'may-call'
      readonly owner: OwnerToken
      readonly attempt: number
      readonly isRepeat: boolean
    }
  /** The operation has ended. */
  | { readonly kind: 'ended'; readonly head: Head }
  /**
   * The provider may not be called: the operation has an owner, lacks arrivals or may not begin
   * again. Or this executor gave the attempt back after a stop or without a valid lease.
   */
  | { readonly kind: 'not-begun' }

/**
 * Begins an operation for one call and waits for a slot for the call. Then reads the control record
 * and checks the executor's lease. Only then may the provider be called (I1). An attempt that began
 * after the stop flag, or in a deployment that is over, is given back without a call. The close
 * sets the stop flag before it reads the heads. So either the close finds the attempt, or this
 * executor finds the flag. Throws the store's error, after the attempt was given back or
 * `onUnsettledBegin` was called. A begin, its undo or a control read that fails while the slots are
 * suspended is repeated after the suspension.
 */
export async function beginUnlessStopped(
  ports: BeginPorts,
  context: BeginContext,
  task: {
    readonly operation: Pick<Operation, 'id' | 'needs' | 'op' | 'skipCall' | 'urn'>
    readonly executor: ExecutorId
    readonly slot: Pick<OperationSlot, 'waitForCall'>
  },
): Promise<BeginDecision> {
  const { operation, executor } = task
  const { id, needs } = operation
  const owner = ports.random.uuid() as OwnerToken
  const beginRequest = { owner, executor, expectedAttempt: 0, needs }
  let isRepeat = false
  let beginResult = await beginOrUndo(ports, context, { id, beginRequest })
  if (beginResult.kind === 'refused') {
    const { head } = beginResult
    if (head.end !== undefined) return { kind: 'ended', head }
    if (head.owner !== '' || head.attempt === 0) return { kind: 'not-begun' }
    // If every attempt was given back, the provider was never called. Otherwise only a repeatable
    // operation begins again.
    isRepeat = head.givenBack < head.attempt
    if (isRepeat && !isRepeatable(operation)) return { kind: 'not-begun' }
    beginResult = await beginOrUndo(ports, context, {
      id,
      beginRequest: { ...beginRequest, expectedAttempt: head.attempt },
    })
    if (beginResult.kind === 'refused') return { kind: 'not-begun' }
  }
  const { attempt } = beginResult
  const uncalledAttempt = { id, owner, attempt }
  await task.slot.waitForCall()
  const readControl = (): ReturnType<BeginPorts['control']['read']> =>
    ports.control.read(context.deployment)
  const pendingControl = retryAfterSuspension(context.slots, readControl)
  const control = await pendingControl.catch(async (thrown: unknown) => {
    await giveBackAttempt(ports, context, uncalledAttempt)
    throw thrown
  })
  const isStopped = control === undefined || control.closed || control.stop !== 'none'
  if (isStopped || !context.holdsLease()) {
    await giveBackAttempt(ports, context, uncalledAttempt)
    return { kind: 'not-begun' }
  }
  return { kind: 'may-call', owner, attempt, isRepeat }
}

/**
 * Makes a repeatable request of the store. When the request fails while the slots are suspended, it
 * is repeated after their suspension. Throws the error of the last request.
 */
async function retryAfterSuspension<T>(
  slots: Pick<BeginContext['slots'], 'waitUntilResumed'>,
  request: () => Promise<T>,
): Promise<T> {
  for (;;)
    try {
      return await request()
    } catch (thrown) {
      if (errorSourceOf(thrown) !== 'store' || !(await slots.waitUntilResumed())) throw thrown
    }
}

/**
 * Begins an operation. When the store does not answer, the write may have succeeded, so the begin
 * is undone. If the undo fails too, the executor must shut down, because operations of a living
 * executor are never recovered. Throws the store's error. A begin with the same owner is
 * repeatable.
 */
async function beginOrUndo(
  ports: Pick<ExecutorPorts, 'operations'>,
  context: BeginContext,
  request: { readonly id: OperationId; readonly beginRequest: BeginRequest },
): ReturnType<OperationsPort['begin']> {
  const { operations } = ports
  const { id, beginRequest } = request
  try {
    const begin = (): ReturnType<OperationsPort['begin']> =>
      operations.begin(context.deployment, id, beginRequest)
    return await retryAfterSuspension(context.slots, begin)
  } catch (thrown) {
    const undo = (): Promise<boolean> =>
      operations.giveBack(
        context.deployment,
        id,
        beginRequest.owner,
        beginRequest.expectedAttempt + 1,
      )
    if (errorSourceOf(thrown) === 'store')
      await retryAfterSuspension(context.slots, undo).catch(() => context.onUnsettledBegin())
    throw thrown
  }
}

/**
 * Gives back an attempt that did not call the provider. The write is retried during a store outage,
 * because operations of a living executor are never recovered. Throws the store's last error. In
 * this case the executor shuts down.
 */
export async function giveBackAttempt(
  ports: Pick<ExecutorPorts, 'operations' | 'clock' | 'random'>,
  context: BeginContext,
  { id, owner, attempt }: UncalledAttempt,
): Promise<void> {
  const retryOptions: RetrySettings = {
    clock: ports.clock,
    random: ports.random,
    backoff: retryPolicy.store.retry,
    shouldRetry: () => !context.isAbandoned(),
    onFirstRetry: () => undefined,
  }
  try {
    await retryStoreCall(retryOptions, () =>
      ports.operations.giveBack(context.deployment, id, owner, attempt),
    )
  } catch (thrown) {
    context.onUnsettledBegin()
    throw thrown
  }
}
