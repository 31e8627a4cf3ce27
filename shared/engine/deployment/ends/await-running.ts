import { limits } from '../../../config/limits.ts'
import type { ControlPort, OperationsPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { DeploymentId, ExecutorId, OperationId } from '../../../records/ids.ts'
import { toIdBatches } from '../log/log-view.ts'
import type { Liveness } from '../ownership/liveness.ts'

/** The dependencies of `awaitRunningOperations`. */
export interface AwaitRunningDeps {
  readonly operations: OperationsPort
  readonly control: ControlPort
  readonly clock: ClockPort
  readonly deployment: DeploymentId
  readonly liveness: Liveness
}

/** Polling interval of heads after a stop, until no operation is running, in ms. */
export const drainPollMs = 50
/**
 * Interval of reads of the leases and the control record after a stop, until no operation is
 * running, in ms.
 */
const observeEveryMs = 1_000

/**
 * Waits until every operation that a living executor began has ended or lost its owner. Resolves
 * with the executors that the last check found gone. Call it only after a stop: an operation that
 * begins after the stop is given back before its call. One lease time after a forced stop, the
 * executors of the remaining operations are retired, because these operations are abandoned.
 * Source: docs/architecture.md#close.
 */
export async function awaitRunningOperations(
  deps: AwaitRunningDeps,
  ids: readonly OperationId[],
): Promise<ReadonlySet<ExecutorId>> {
  const { clock, deployment, liveness } = deps
  let lastObservedMs = -Infinity
  let forcedStopMs = Infinity
  let goneExecutors: ReadonlySet<ExecutorId> = new Set()
  let runningIds = ids
  let runningExecutors: ReadonlySet<ExecutorId> = new Set()
  while (runningIds.length > 0) {
    const nowMs = clock.monotonicMs()
    if (nowMs - lastObservedMs > observeEveryMs) {
      // The first check skips the control record, so that a single check stays cheap.
      const control = lastObservedMs < 0 ? undefined : await deps.control.read(deployment)
      if (control?.stop === 'forced') forcedStopMs = Math.min(forcedStopMs, nowMs)
      if (nowMs - forcedStopMs > limits.leaseMs) await liveness.retire(runningExecutors)
      goneExecutors = await liveness.observe()
      lastObservedMs = clock.monotonicMs()
    }
    ;({ runningIds, runningExecutors } = await findRunning(deps, runningIds, goneExecutors))
    if (runningIds.length > 0) await clock.sleep(drainPollMs)
  }
  return goneExecutors
}

/** Returns the operations that living executors have begun and not ended, and these executors. */
async function findRunning(
  { operations, deployment }: Pick<AwaitRunningDeps, 'operations' | 'deployment'>,
  ids: readonly OperationId[],
  goneExecutors: ReadonlySet<ExecutorId>,
): Promise<{
  readonly runningIds: readonly OperationId[]
  readonly runningExecutors: ReadonlySet<ExecutorId>
}> {
  const runningIds: OperationId[] = []
  const runningExecutors = new Set<ExecutorId>()
  for (const batch of toIdBatches(ids, limits.idsPerReadMax))
    for (const [id, head] of await operations.getHeads(deployment, batch)) {
      if (head.executor === '' || head.end !== undefined || goneExecutors.has(head.executor))
        continue
      runningIds.push(id)
      runningExecutors.add(head.executor)
    }
  return { runningIds, runningExecutors }
}
