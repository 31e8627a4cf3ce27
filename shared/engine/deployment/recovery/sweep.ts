import type { ChainQueuePort } from '../../../ports/queue.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import { freshHead, type Head } from '../../../records/head.ts'
import type { DeploymentId, ExecutorId, OperationId } from '../../../records/ids.ts'
import { isJoinOrHook, type Operation } from '../../../records/operation.ts'
import { type Arrival, findBarrierArrivals, arrivalsOf } from '../dispatch/arrivals.ts'
import { toChainMessages } from '../dispatch/chain-messages.ts'
import { readHeads } from '../ends/read-heads.ts'
import { recoverOperation } from './recover.ts'

/**
 * The dependencies of a sweep. `isGone`: whether an executor is gone. `maySend`: whether to send a
 * ready operation. Absent: every ready operation is sent.
 */
export interface SweepDeps {
  readonly deployment: DeploymentId
  readonly operations: OperationsPort
  readonly chains: ChainQueuePort
  readonly isGone: (executor: ExecutorId) => boolean
  readonly maySend?: (operation: OperationId) => boolean
}

/**
 * Repairs a deployment in three stages:
 * - Recovers operations whose owner is gone.
 * - Records the arrivals of ended operations at operations that have not begun, and ends each join
 *   that has all its arrivals.
 * - Sends the operations that are ready to begin.
 *
 * So no operation waits for a lost message: invariant I4 of docs/architecture.md#invariants. Every
 * write is conditional and can be repeated. `operations`: all operations except those that an
 * earlier sweep found ended. A sweep takes time linear in their number. Returns the operations that
 * still have no end.
 */
export async function sweep(
  deps: SweepDeps,
  operations: readonly Operation[],
): Promise<readonly Operation[]> {
  const ids = operations.map(({ id }) => id)
  const heads = await readHeads(deps.operations, deps.deployment, ids)
  for (const operation of operations) {
    const head = heads.get(operation.id)
    if (head === undefined || head.end !== undefined || head.owner === '') continue
    if (head.executor === '' || !deps.isGone(head.executor)) continue
    await recoverOperation(deps, operation, head)
  }
  const currentHeads = await readHeads(deps.operations, deps.deployment, ids)
  await repeatArrivals(deps, operations, currentHeads)
  const unfinishedOperations = operations.filter(
    ({ id }) => currentHeads.get(id)?.end === undefined,
  )
  const readyOperations = unfinishedOperations
    .filter(
      operation => !isJoinOrHook(operation) && isReady(currentHeads.get(operation.id), operation),
    )
    .filter(({ id }) => deps.maySend?.(id) ?? true)
  if (readyOperations.length > 0)
    await deps.chains.send(toChainMessages(deps.deployment, readyOperations))
  return unfinishedOperations
}

/**
 * Repeats the arrivals of ended operations, and updates `currentHeads` with the resulting heads.
 */
async function repeatArrivals(
  deps: SweepDeps,
  operations: readonly Operation[],
  currentHeads: Map<OperationId, Head>,
): Promise<void> {
  const operationsById = new Map(operations.map(operation => [operation.id, operation]))
  const find = (id: OperationId): Promise<Operation | undefined> =>
    Promise.resolve(operationsById.get(id))
  const visitedIds = new Set<OperationId>()
  const pendingArrivals: Arrival[] = []
  for (const operation of operations) {
    const end = currentHeads.get(operation.id)?.end
    // An end without success releases no waiter. It arrives only at barriers: its own, and those of
    // the operations that it blocks.
    if (end?.verdict === 'succeeded') pendingArrivals.push(...arrivalsOf(operation))
    else if (end !== undefined)
      pendingArrivals.push(...(await findBarrierArrivals(operation, find, visitedIds)))
  }
  for (
    let arrival = pendingArrivals.pop();
    arrival !== undefined;
    arrival = pendingArrivals.pop()
  ) {
    const { from, to } = arrival
    const waiter = operationsById.get(to)
    const head = currentHeads.get(to) ?? freshHead
    if (waiter === undefined || head.end !== undefined || head.owner !== '') continue
    const updatedHead = head.arrived.includes(from)
      ? head
      : await deps.operations.arrive(deps.deployment, to, from)
    currentHeads.set(to, updatedHead)
    if (waiter.op !== 'join' || updatedHead.arrived.length < waiter.needs) continue
    const end = { verdict: 'succeeded' as const, attempt: 0 }
    await deps.operations.select(deps.deployment, to, { owner: '', ...end })
    currentHeads.set(to, { ...updatedHead, end })
    pendingArrivals.push(...arrivalsOf(waiter))
  }
}

function isReady(head: Head = freshHead, { needs }: Operation): boolean {
  return head.owner === '' && head.arrived.length >= needs
}
