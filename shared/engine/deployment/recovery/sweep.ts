import type { ChainQueuePort } from '../../../ports/queue.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import { freshHead, type Head } from '../../../records/head.ts'
import type { DeploymentId, ExecutorId, OperationId } from '../../../records/ids.ts'
import { isUnsent, type Operation } from '../../../records/operation.ts'
import { type Arrival, findBlockedArrivals, arrivalsOf } from '../dispatch/arrivals.ts'
import { toChainMessages } from '../dispatch/chain-messages.ts'
import { toIdBatches } from '../log/log-view.ts'
import { recoverOperation } from './recover.ts'

/**
 * The dependencies of a sweep. `isGone`: whether an executor identity is known to be dead.
 * `maySend`: whether to send a ready operation; every one is sent if it is absent.
 */
export interface SweepDeps {
  readonly deployment: DeploymentId
  readonly operations: OperationsPort
  readonly chains: ChainQueuePort
  readonly isGone: (executor: ExecutorId) => boolean
  readonly maySend?: (operation: OperationId) => boolean
}

/**
 * Continues operations that lost their message, their arrivals or their owner. It recovers
 * operations whose owner is gone, and records the arrivals of ended ones at waiters that have not
 * begun. Then it ends ready joins and sends ready operations. Every write is conditional and can be
 * repeated. With sweeps, progress does not depend on any message (I4). Linear in `operations`,
 * which are those not known to have ended. Returns the operations that are still open.
 */
export async function sweep(
  deps: SweepDeps,
  operations: readonly Operation[],
): Promise<readonly Operation[]> {
  const heads = await readHeads(deps, operations)
  for (const operation of operations) {
    const head = heads.get(operation.id)
    if (head === undefined || head.end !== undefined || head.owner === '') continue
    if (head.executor === '' || !deps.isGone(head.executor)) continue
    await recoverOperation(deps, operation, head)
  }
  const settled = await readHeads(deps, operations)
  await redoArrivals(deps, operations, settled)
  const left = operations.filter(({ id }) => settled.get(id)?.end === undefined)
  const ready = left
    .filter(operation => !isUnsent(operation) && isReady(settled.get(operation.id), operation))
    .filter(({ id }) => deps.maySend?.(id) ?? true)
  if (ready.length > 0) await deps.chains.send(toChainMessages(deps.deployment, ready))
  return left
}

/** Repeats the arrivals of ended operations, and updates `settled` with the resulting heads. */
async function redoArrivals(
  deps: SweepDeps,
  operations: readonly Operation[],
  settled: Map<OperationId, Head>,
): Promise<void> {
  const byId = new Map(operations.map(operation => [operation.id, operation]))
  const find = (id: OperationId): Promise<Operation | undefined> => Promise.resolve(byId.get(id))
  const blocked = new Set<OperationId>()
  const open: Arrival[] = []
  for (const operation of operations) {
    const end = settled.get(operation.id)?.end
    if (end?.verdict === 'succeeded') open.push(...arrivalsOf(operation))
    else if (end !== undefined) open.push(...(await findBlockedArrivals(operation, find, blocked)))
  }
  for (let arrival = open.pop(); arrival !== undefined; arrival = open.pop()) {
    const { from, to } = arrival
    const waiter = byId.get(to)
    const head = settled.get(to) ?? freshHead
    if (waiter === undefined || head.end !== undefined || head.owner !== '') continue
    const arrived = head.arrived.includes(from)
      ? head
      : await deps.operations.arrive(deps.deployment, to, from)
    settled.set(to, arrived)
    if (waiter.op !== 'join' || arrived.arrived.length < waiter.needs) continue
    const end = { verdict: 'succeeded' as const, attempt: 0 }
    await deps.operations.select(deps.deployment, to, { owner: '', ...end })
    settled.set(to, { ...arrived, end })
    open.push(...arrivalsOf(waiter))
  }
}

function isReady(head: Head = freshHead, { needs }: Operation): boolean {
  return head.owner === '' && head.arrived.length >= needs
}

async function readHeads(
  deps: SweepDeps,
  operations: readonly Operation[],
): Promise<Map<OperationId, Head>> {
  const found = new Map<OperationId, Head>()
  for (const batch of toIdBatches(
    operations.map(({ id }) => id),
    500,
  ))
    for (const [id, head] of await deps.operations.getHeads(deps.deployment, batch))
      found.set(id, head)
  return found
}
