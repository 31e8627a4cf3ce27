import { limits } from '../../../config/limits.ts'
import type { ControlPort, OperationsPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { DeploymentId, ExecutorId, OperationId } from '../../../records/ids.ts'
import { toIdBatches } from '../log/log-view.ts'
import type { Liveness } from '../ownership/liveness.ts'

/** The dependencies of waiting for living owners. */
export interface AwaitRunningDeps {
  readonly operations: OperationsPort
  readonly control: ControlPort
  readonly clock: ClockPort
  readonly deployment: DeploymentId
  readonly liveness: Liveness
}

/** Polling interval of heads while stopped operations finish, in ms. */
export const drainPollMs = 50
/** Interval at which leases and the control record are read meanwhile, in ms. */
const observeEveryMs = 1_000

/**
 * Resolves when no operation has a living owner that did not end it, with the executors that are
 * gone. Call it only after a stop: an operation that begins then is given back before its call.
 * After a forced stop it waits for one lease at most. Then it retires the remaining owners, because
 * their work is abandoned. Source: docs/architecture.md#close.
 */
export async function awaitRunning(
  deps: AwaitRunningDeps,
  ids: readonly OperationId[],
): Promise<ReadonlySet<ExecutorId>> {
  const { clock, deployment, liveness } = deps
  let lookedMs = -Infinity
  let forcedMs = Infinity
  let gone: ReadonlySet<ExecutorId> = new Set()
  let running = ids
  let owners: ReadonlySet<ExecutorId> = new Set()
  while (running.length > 0) {
    const nowMs = clock.monotonicMs()
    if (nowMs - lookedMs > observeEveryMs) {
      // The first check skips the control record, so that a single check stays cheap.
      const control = lookedMs < 0 ? undefined : await deps.control.read(deployment)
      if (control?.stop === 'forced') forcedMs = Math.min(forcedMs, nowMs)
      if (nowMs - forcedMs > limits.leaseMs) await liveness.retire(owners)
      gone = await liveness.observe()
      lookedMs = clock.monotonicMs()
    }
    ;({ running, owners } = await findRunning(deps, running, gone))
    if (running.length > 0) await clock.sleep(drainPollMs)
  }
  return gone
}

/** Returns the operations that a living executor has begun and not ended, and their owners. */
async function findRunning(
  { operations, deployment }: Pick<AwaitRunningDeps, 'operations' | 'deployment'>,
  ids: readonly OperationId[],
  gone: ReadonlySet<ExecutorId>,
): Promise<{
  readonly running: readonly OperationId[]
  readonly owners: ReadonlySet<ExecutorId>
}> {
  const running: OperationId[] = []
  const owners = new Set<ExecutorId>()
  for (const batch of toIdBatches(ids, limits.idsPerReadMax))
    for (const [id, head] of await operations.getHeads(deployment, batch)) {
      if (head.executor === '' || head.end !== undefined || gone.has(head.executor)) continue
      running.push(id)
      owners.add(head.executor)
    }
  return { running, owners }
}
