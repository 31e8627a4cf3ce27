import { createOperationSlots } from '../../engine/deployment/dispatch/operation-slots.ts'
import type { Pin } from '../../engine/deployment/log/log-view.ts'
import { shutdownMarginMsOf } from '../../engine/deployment/ownership/decide-hand-over.ts'
import { messageOf } from '../../errors/error.ts'
import type { ChainMessage, ChainQueuePort } from '../../ports/queue.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { RunEnvironment } from '../environment/run-environment.ts'
import type { RunInput } from '../environment/run-input.ts'
import {
  createDeploymentExecutor,
  type DeploymentExecutor,
  type ExecutorAssignment,
} from './deployment-executor.ts'
import { createInlineAdmission } from './inline-admission.ts'

/** The operations that a generator runs in its own process, and the queue for all others. */
export interface InlineOperations {
  /** The queue for the generator. Messages of inline operations do not reach the real queue. */
  readonly chains: ChainQueuePort
  /** Reports whether any operation runs in this process. */
  readonly areRunning: () => boolean
  /**
   * Begins no more operations, and waits for those that run. Resolves after half of the shutdown
   * time even if some still run. Called before a hand-over ends the plugins.
   */
  readonly drain: () => Promise<void>
  /** Abandons outcomes that are not recorded yet. */
  readonly abandon: () => void
  /** Begins no more operations. Resolves when all operations and the lease have ended. */
  readonly end: () => Promise<void>
}

/** The deployment of a generator run, and the time limit of the run in ms. Absent: no limit. */
interface InlineRun {
  readonly deployment: DeploymentId
  readonly pin: Pick<Pin, 'options'>
  readonly limitMs?: number | undefined
}

/**
 * Creates the operations that a generator run executes itself while few are in flight. The run
 * uses the code, the records and a lease of an executor. A message that names a pool or has a delay
 * goes to the queue. So does every message of a deployment that functions do not execute. If the
 * process dies, the next generator run sends the operations that have not begun. Source:
 * docs/architecture.md#inline-operations.
 */
export function createInlineOperations(
  input: RunInput,
  environment: RunEnvironment,
  { deployment, pin, limitMs = Infinity }: InlineRun,
): InlineOperations {
  const { clock } = input.platform
  // docs/order-of-effects.md lists the callers of `send`, because this file only forwards their
  // calls.
  const queue = input.ports.chains
  const { inlineOperationsMax = 0 } = input
  const operationsMax = pin.options.execute === 'functions' ? inlineOperationsMax : 0
  const admission = createInlineAdmission(clock, { operationsMax, limitMs })
  const runs = new Map<OperationId, Promise<void>>()
  let isEnding = false
  const hasTime = (): boolean =>
    !isEnding &&
    input.request.handOverSignal?.aborted !== true &&
    !executor.isShuttingDown() &&
    admission.hasTime()
  const send = async (messages: readonly ChainMessage[]): Promise<void> => {
    const sendState = { runningIds: runs, mayRun: hasTime() }
    const { inlineIds, queuedMessages } = admission.divide(messages, sendState)
    for (const id of inlineIds)
      runs.set(
        id,
        executor.run(id).finally(() => runs.delete(id)),
      )
    if (queuedMessages.length > 0) await queue.send(queuedMessages)
  }
  const chains: ChainQueuePort = operationsMax === 0 ? queue : { ...queue, send }
  const executor = createInlineExecutor({ ...input, chains }, environment, {
    deployment,
    slots: createOperationSlots(operationsMax),
    // An operation that needs more time goes to an executor, which alone decides about the long
    // pool.
    timeLimit: {
      pool: 'short',
      startRemainingMs: Infinity,
      remainingMs: () => (hasTime() ? admission.operationMs : 0),
      leave: () => undefined,
    },
  })
  const awaitRuns = async (): Promise<void> => {
    while (runs.size > 0) await Promise.all(runs.values())
  }
  const stopBeginning = (): void => {
    isEnding = true
    executor.stopBeginning()
  }
  return {
    chains,
    areRunning: () => runs.size > 0,
    async drain() {
      stopBeginning()
      if (runs.size === 0) return
      const timerAbort = new AbortController()
      const drainMs = shutdownMarginMsOf(limitMs) / 2
      await Promise.race([awaitRuns(), clock.sleep(drainMs, timerAbort.signal)])
      timerAbort.abort()
    },
    abandon: executor.abandon,
    async end() {
      stopBeginning()
      await awaitRuns()
      await executor.end()
    },
  }
}

/** An executor in the process of a generator. It takes its lease at its first operation. */
interface InlineExecutor extends Omit<DeploymentExecutor, 'executor' | 'runDelivery'> {
  /**
   * Runs an operation and the chain that continues it. After an error, sends the operation to the
   * queue.
   */
  readonly run: (id: OperationId) => Promise<void>
}

function createInlineExecutor(
  input: RunInput & { readonly chains: ChainQueuePort },
  environment: RunEnvironment,
  assignment: ExecutorAssignment,
): InlineExecutor {
  const { platform, ports, chains } = input
  const { send: sendToQueue } = ports.chains
  const { deployment } = assignment
  let executor: DeploymentExecutor | undefined
  let pendingExecutor: Promise<DeploymentExecutor> | undefined
  let mayBegin = true
  // The messages of inline operations were never in the queue, so they are not removed or extended
  // there.
  const executorChains: ChainQueuePort = {
    ...chains,
    remove: async () => undefined,
    extend: async () => true,
  }
  const executorInput = { ...input, platform: { ...platform, chains: executorChains } }
  const start = async (): Promise<DeploymentExecutor> => {
    executor = await createDeploymentExecutor(executorInput, environment, assignment)
    if (!mayBegin) executor.stopBeginning()
    return executor
  }
  const open = (): Promise<DeploymentExecutor> => {
    pendingExecutor ??= start().catch((thrown: unknown) => {
      pendingExecutor = undefined
      throw thrown
    })
    return pendingExecutor
  }
  return {
    async run(id) {
      const message: ChainMessage = { deployment, operations: [id] }
      try {
        const { runDelivery } = await open()
        // An operation that does not fit into the time of this process is sent again with this
        // pool. A message with a pool goes to the queue.
        await runDelivery({ message: { ...message, pool: 'short' }, receipt: '', deliveries: 1 })
      } catch (thrown) {
        platform.logger.write('warn', 'delivery.failed', { deployment, message: messageOf(thrown) })
        // If the send fails too, the sweep sends the operation.
        await sendToQueue([message]).catch(() => undefined)
      }
    },
    isShuttingDown: () => executor?.isShuttingDown() === true,
    stopBeginning() {
      mayBegin = false
      executor?.stopBeginning()
    },
    abandon: () => executor?.abandon(),
    async end() {
      await executor?.end()
    },
  }
}
