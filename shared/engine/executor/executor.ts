import { limits } from '../../config/limits.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'
import type { Delivery } from '../../ports/queue.ts'
import type { Head } from '../../records/head.ts'
import type { DeploymentId, ExecutorId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { computeBackoffMs } from '../deployment/retry/backoff.ts'
import { callAndRecord } from './call-and-record.ts'
import { beginUnlessStopped, giveBackAttempt } from './begin.ts'
import { acquireCallSlot, type CallSlot } from './acquire-call-slot.ts'
import type { LimitedResult } from '../call-limits/limit-record.ts'
import { createDeferredOperations, type DeferredOperations } from './deferred-operations.ts'
import { isThrottled } from '../../providers/throttling.ts'
import { endUndeliverableOperation } from './end-undeliverable.ts'
import { shareControlReads } from './shared-control-reads.ts'
import type { OperationObservation } from '../telemetry/observe-operation.ts'
import { notifyGenerator } from './notify-generator.ts'
import { releaseWaiters } from './release-waiters.ts'
import { errorSourceOf, retryPolicy } from '../../providers/retry-policy.ts'

/** The runner of the deliveries to one executor identity. */
export interface Executor {
  /**
   * Runs the operations of the message, and the chains that continue them, then removes the
   * message. The failure of an operation is no error. After an error, the message is delivered
   * again, sooner than after the death of an executor. At the last delivery, the affected
   * operation ends instead.
   */
  readonly runDelivery: (delivery: Delivery) => Promise<void>
}

/** Interval of the extensions of a delivery, in ms. */
const extendEveryMs = 20_000
/** Time for which each extension hides the message from other receivers, in ms. */
const extendByMs = 60_000

/**
 * Creates an executor. `contextOf` returns undefined when the deployment is over. A message of such
 * a deployment is only removed.
 */
export function createExecutor(
  basePorts: ExecutorPorts,
  options: {
    readonly executor: ExecutorId
    readonly contextOf: (deployment: DeploymentId) => Promise<ExecutionContext | undefined>
  },
): Executor {
  const ports = { ...basePorts, control: shareControlReads(basePorts.control, basePorts.clock) }
  return {
    async runDelivery(delivery) {
      const context = await options.contextOf(delivery.message.deployment)
      if (context !== undefined) {
        const stopExtending = ports.clock.repeat(extendEveryMs, () => {
          // If the extension fails, the message is delivered again, which is harmless.
          ports.chains.extend(delivery.receipt, extendByMs).catch(() => undefined)
        })
        try {
          const isLast = delivery.deliveries >= limits.deliveriesMax
          const { executor } = options
          const deferred = createDeferredOperations(ports, delivery.message)
          const { operations } = delivery.message
          const results = await runAll(ports, context, operations, { executor, isLast, deferred })
          await deferred.send()
          const failure = results.find(result => result.status === 'rejected')
          if (failure !== undefined) {
            await delayRedelivery(ports, delivery)
            throw failure.reason
          }
        } finally {
          stopExtending()
        }
      }
      await ports.chains.remove(delivery.receipt)
    },
  }
}

/** Makes the message of a failed delivery visible again, after a pause that grows each time. */
async function delayRedelivery(ports: ExecutorPorts, delivery: Delivery): Promise<void> {
  const delayMs = computeBackoffMs(
    delivery.deliveries - 1,
    retryPolicy.internal.retry,
    ports.random,
  )
  // If the call fails, the message becomes visible at its visibility timeout.
  await ports.chains.extend(delivery.receipt, delayMs).catch(() => undefined)
}

/** The fields that all operations of a message share. */
interface DeliveryTask {
  readonly executor: ExecutorId
  /** Whether this is the last delivery of the message. */
  readonly isLast: boolean
  readonly deferred: DeferredOperations
}

/**
 * Runs the operations of a message, and the chains that continue them. The operations are loaded
 * one after another, as far as the slots allow. So the operations of a long message need little
 * memory.
 */
async function runAll(
  ports: ExecutorPorts,
  context: ExecutionContext,
  ids: readonly OperationId[],
  task: DeliveryTask,
): Promise<readonly PromiseSettledResult<void>[]> {
  const runs: Promise<void>[] = []
  const endTurn = await context.slots.acquireTurn()
  try {
    for (const id of ids) {
      const endLoad = await context.slots.acquireLoad()
      const run = runChainFrom(ports, context, { ...task, id, endLoad })
      // The caller gets the failure from `allSettled`, which may be called much later.
      run.catch(() => undefined)
      runs.push(run)
    }
  } finally {
    endTurn()
  }
  return Promise.allSettled(runs)
}

/**
 * Runs an operation, and continues along the chain as long as exactly one waiter becomes ready. An
 * operation holds a slot until its call succeeds, or its failure is recorded. So the next call does
 * not wait until the store has the result of a success. A repeatable operation begins before it has
 * a slot for its call, because a begin without a call does it no harm.
 */
async function runChainFrom(
  ports: ExecutorPorts,
  context: ExecutionContext,
  task: DeliveryTask & { readonly id: OperationId; readonly endLoad: () => void },
): Promise<void> {
  let { endLoad } = task
  let nextId: OperationId | undefined = task.id
  for (;;) {
    try {
      const operation: Operation | undefined = await context.logIndex.find(nextId)
      // Only the generator runs hooks, even if a message names the operation of a hook.
      if (operation === undefined || operation.op === 'hook') return
      nextId = await runUnderLimits(ports, context, { ...task, operation, endLoad })
    } finally {
      endLoad()
    }
    if (nextId === undefined) return
    endLoad = await context.slots.acquireLoad()
  }
}

/**
 * Waits until an operation may call its provider, and runs it to its end. An operation that must
 * wait longer than this executor can is deferred. Returns the single waiter to continue with.
 */
async function runUnderLimits(
  ports: ExecutorPorts,
  context: ExecutionContext,
  task: {
    readonly operation: Operation
    readonly executor: ExecutorId
    readonly isLast: boolean
    readonly deferred: DeferredOperations
    /** Lets another operation load. Called before waits for limits, and when a slot is held. */
    readonly endLoad: () => void
  },
): Promise<OperationId | undefined> {
  const { operation, executor, deferred, endLoad } = task
  const observation = context.observe(operation)
  for (;;) {
    let held: CallSlot | undefined
    let result: LimitedResult = 'other'
    const onResult = (callResult: LimitedResult): void => void (result = callResult)
    try {
      const call = await acquireCallSlot(ports, context, { operation, observation, endLoad })
      if (call === undefined) return undefined
      if ('retryMs' in call) {
        deferred.add(operation.id, 'later', call.retryMs)
        return undefined
      }
      held = call
      const admission = await context.admit(operation)
      if (admission !== 'now') {
        deferred.add(operation.id, admission)
        return undefined
      }
      const runTask = { operation, executor, onResult, observation, ...call }
      const next = await runToEnd(ports, context, runTask)
      if (next !== 'outdated') return next
    } catch (thrown) {
      if (!task.isLast) throw thrown
      return await endUndeliverableOperation(ports, context, { operation, thrown })
    } finally {
      // The rate is lowered before another operation gets the slot of a throttled one.
      await held?.permit.end(result)
      held?.slot.release()
    }
  }
}

/** An operation that this executor runs. A successful call releases its slot. */
interface RunTask extends CallSlot {
  readonly operation: Operation
  readonly executor: ExecutorId
  /** Reports the result of the call. */
  readonly onResult: (result: LimitedResult) => void
  readonly observation: OperationObservation
}

/**
 * Runs one operation. Repeats it each time that its provider is lost during a repeatable call.
 * Returns the single waiter to continue with. Undefined if this executor continues with none.
 * `outdated`: the operation did not call its provider, and waits for its limits again.
 */
async function runToEnd(
  ports: ExecutorPorts,
  context: ExecutionContext,
  task: RunTask,
): Promise<OperationId | 'outdated' | undefined> {
  for (let retryCount = 0; ; retryCount++) {
    const next = await runOperation(ports, context, task)
    if (next !== 'again') return next
    await ports.clock.sleep(computeBackoffMs(retryCount, retryPolicy.lost.retry, ports.random))
  }
}

/**
 * Runs one attempt of an operation: begin, control read, call, outcome, end, hint, arrivals.
 * Returns the single waiter to continue with, or `again` when the operation may begin again. Gives
 * the begin back and returns `outdated` when a rate was lowered since the permit. An operation that
 * began early may have waited for its call slot meanwhile.
 */
async function runOperation(
  ports: ExecutorPorts,
  context: ExecutionContext,
  task: RunTask,
): Promise<OperationId | 'again' | 'outdated' | undefined> {
  const { operation, slot, permit, observation } = task
  const { id } = operation
  const beginDecision = await beginUnlessStopped(ports, context, task)
  if (beginDecision.kind === 'not-begun') return undefined
  if (beginDecision.kind === 'ended')
    return releaseEnded(ports, context, operation, beginDecision.head)
  const { owner, attempt, isRepeat } = beginDecision
  if (!(await permit.isCurrent())) {
    await giveBackAttempt(ports, context, { id, owner, attempt })
    return 'outdated'
  }
  let isCallThrottled = false
  const onCallError = (thrown: unknown): void => void (isCallThrottled = isThrottled(thrown))
  const begunOperation = {
    ...{ operation, owner, attempt, isRepeat, observation },
    isLimited: permit.isLimited,
    onCallError,
  }
  const pendingEnd = callAndRecord(ports, context, {
    ...begunOperation,
    onCallSuccess: slot.release,
  })
  const end = await pendingEnd.catch(async (thrown: unknown) => {
    if (errorSourceOf(thrown) !== 'lease') {
      context.onUnsettledBegin()
      throw thrown
    }
    await giveBackAttempt(ports, context, { id, owner, attempt })
    return undefined
  })
  if (end === 'again') return end
  if (isCallThrottled) observation.countThrottledCall()
  if (isCallThrottled) task.onResult('throttled')
  else if (end?.verdict === 'succeeded') task.onResult('succeeded')
  await notifyGenerator(ports, context, id)
  if (end === undefined) return undefined
  return releaseWaiters(ports, context, { operation, verdict: end.verdict, isRedelivered: false })
}

/**
 * Repeats the releases of an ended operation, because a message can be delivered again after its
 * operation has ended.
 */
async function releaseEnded(
  ports: ExecutorPorts,
  context: ExecutionContext,
  operation: Operation,
  head: Head,
): Promise<OperationId | undefined> {
  await notifyGenerator(ports, context, operation.id)
  if (head.end === undefined) return undefined
  return releaseWaiters(ports, context, {
    operation,
    verdict: head.end.verdict,
    isRedelivered: true,
  })
}
