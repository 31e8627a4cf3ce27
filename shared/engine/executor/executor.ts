import { limits } from '../../config/limits.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'
import type { ChainMessage, Delivery } from '../../ports/queue.ts'
import type { Head } from '../../records/head.ts'
import {
  deploymentPartsOf,
  type DeploymentId,
  type ExecutorId,
  type OperationId,
} from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { computeBackoffMs } from '../deployment/retry/backoff.ts'
import type { Admission } from './admission.ts'
import { callAndRecord } from './attempt.ts'
import { beginUnlessStopped, returnAttempt } from './begin.ts'
import { endPoisonedOperation } from './end-poisoned.ts'
import { shareControlReads } from './shared-control-reads.ts'
import { releaseWaiters } from './release-waiters.ts'
import { errorSourceOf, retryPolicy } from '../../providers/retry-policy.ts'

/** Runs the deliveries of one executor identity. */
export interface Executor {
  /**
   * Runs the message's operations and those that they alone released, then removes the message. A
   * failed operation does not throw. After any other error, the message is delivered again, sooner
   * than after the death of an executor. At the last delivery, the affected operation is ended.
   */
  readonly runDelivery: (delivery: Delivery) => Promise<void>
}

/** Interval and duration of the extensions of a delivery, in ms. */
const extendEveryMs = 20_000
const extendByMs = 60_000

/** Creates an executor. `contextOf` returns undefined when the deployment is over. */
export function createExecutor(
  basePorts: ExecutorPorts,
  identity: {
    readonly executor: ExecutorId
    readonly contextOf: (deployment: DeploymentId) => Promise<ExecutionContext | undefined>
  },
): Executor {
  const ports = { ...basePorts, control: shareControlReads(basePorts.control, basePorts.clock) }
  return {
    async runDelivery(delivery) {
      const context = await identity.contextOf(delivery.message.deployment)
      if (context !== undefined) {
        const endExtending = ports.clock.repeat(extendEveryMs, () => {
          // A delivery that was not extended is delivered again, which is harmless.
          ports.chains.extend(delivery.receipt, extendByMs).catch(() => undefined)
        })
        try {
          const isLast = delivery.deliveries >= limits.deliveriesMax
          const { executor } = identity
          const deferred = createDeferredOperations(ports, delivery.message)
          const start = { executor, isLast, deferred }
          const ran = await Promise.allSettled(
            delivery.message.operations.map(id =>
              runFromOperation(ports, context, { ...start, id }),
            ),
          )
          await deferred.send()
          const failure = ran.find(one => one.status === 'rejected')
          if (failure !== undefined) {
            await delayRedelivery(ports, delivery)
            throw failure.reason
          }
        } finally {
          endExtending()
        }
      }
      await ports.chains.remove(delivery.receipt)
    },
  }
}

/** Operations of a message that do not fit into the time of this executor. */
interface DeferredOperations {
  readonly add: (id: OperationId, admission: Exclude<Admission, 'now'>) => void
  /** Sends them to another executor, before their message is removed. */
  readonly send: () => Promise<void>
}

function createDeferredOperations(
  ports: ExecutorPorts,
  { deployment, pool }: ChainMessage,
): DeferredOperations {
  const later: OperationId[] = []
  const long: OperationId[] = []
  return {
    add: (id, admission) => void (admission === 'long' ? long : later).push(id),
    async send() {
      if (later.length + long.length === 0) return
      const messages: ChainMessage[] = []
      if (later.length > 0)
        messages.push({ deployment, operations: later, ...(pool === undefined ? {} : { pool }) })
      if (long.length > 0) messages.push({ deployment, operations: long, pool: 'long' })
      await ports.chains.send(messages)
    },
  }
}

/** Makes a delivery that failed visible again, after a pause that grows each time. */
async function delayRedelivery(ports: ExecutorPorts, delivery: Delivery): Promise<void> {
  const ms = computeBackoffMs(delivery.deliveries - 1, retryPolicy.ours.again, ports.random)
  // If this fails, it becomes visible at its visibility timeout.
  await ports.chains.extend(delivery.receipt, ms).catch(() => undefined)
}

/** Runs an operation, and continues along the chain as long as exactly one waiter becomes ready. */
async function runFromOperation(
  ports: ExecutorPorts,
  context: ExecutionContext,
  start: {
    readonly id: OperationId
    readonly executor: ExecutorId
    /** Whether this is the last delivery of the message. */
    readonly isLast: boolean
    readonly deferred: DeferredOperations
  },
): Promise<void> {
  let next: OperationId | undefined = start.id
  while (next !== undefined) {
    const operation: Operation | undefined = await context.plan.find(next)
    // Only the generator runs hooks, even if a message names one.
    if (operation === undefined || operation.op === 'hook') return
    const release = await context.slots.acquire()
    try {
      const admission = await context.admit(operation)
      if (admission !== 'now') return start.deferred.add(next, admission)
      next = await runToEnd(ports, context, { operation, executor: start.executor })
    } catch (thrown) {
      if (!start.isLast) throw thrown
      next = await endPoisonedOperation(ports, context, { operation, thrown })
    } finally {
      release()
    }
  }
}

/** Runs one operation, again whenever its provider is lost during a repeatable call. */
async function runToEnd(
  ports: ExecutorPorts,
  context: ExecutionContext,
  task: { readonly operation: Operation; readonly executor: ExecutorId },
): Promise<OperationId | undefined> {
  for (let number = 0; ; number++) {
    const next = await runOperation(ports, context, task)
    if (next !== 'again') return next
    await ports.clock.sleep(computeBackoffMs(number, retryPolicy.lost.again, ports.random))
  }
}

/**
 * Runs one attempt of an operation: begin, control, call, outcome, end, arrivals, hint. Returns the
 * single waiter to continue with, or `again` when the operation may begin again.
 */
async function runOperation(
  ports: ExecutorPorts,
  context: ExecutionContext,
  task: { readonly operation: Operation; readonly executor: ExecutorId },
): Promise<OperationId | 'again' | undefined> {
  const { deployment } = context
  const { operation } = task
  const { id } = operation
  const begun = await beginUnlessStopped(ports, context, task)
  if (begun.kind === 'left') return undefined
  if (begun.kind === 'ended') return releaseEnded(ports, context, operation, begun.head)
  const { owner, attempt, isAgain } = begun
  const called = callAndRecord(ports, context, { operation, owner, attempt, isAgain })
  const end = await called.catch(async (thrown: unknown) => {
    if (errorSourceOf(thrown) !== 'lease') {
      context.onUnsettledBegin()
      throw thrown
    }
    await returnAttempt(ports, context, { id, owner, attempt })
    return undefined
  })
  if (end === 'again') return end
  await notifyGenerator(ports, deployment, id)
  if (end === undefined) return undefined
  return releaseWaiters(ports, context, { operation, verdict: end.verdict, isAgain: false })
}

/**
 * Repeats the releases of an ended operation, because a message can be delivered again after its
 * work was done.
 */
async function releaseEnded(
  ports: ExecutorPorts,
  context: ExecutionContext,
  operation: Operation,
  head: Head,
): Promise<OperationId | undefined> {
  await notifyGenerator(ports, context.deployment, operation.id)
  if (head.end === undefined) return undefined
  return releaseWaiters(ports, context, { operation, verdict: head.end.verdict, isAgain: true })
}

/**
 * Notifies the generator of an end: by a hint if it is listening, or by a nudge if it is parked.
 * Both may get lost.
 */
async function notifyGenerator(
  ports: ExecutorPorts,
  deployment: DeploymentId,
  id: OperationId,
): Promise<void> {
  ports.hints.hint(deployment, id)
  try {
    const control = await ports.control.read(deployment)
    if (control?.handedOver?.why !== 'parked') return
    await ports.nudges.nudge(deploymentPartsOf(deployment).stack, 0)
  } catch {
    // The watchdog nudge wakes it too.
  }
}
