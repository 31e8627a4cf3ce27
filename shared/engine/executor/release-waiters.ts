import type { Verdict } from '../../records/head.ts'
import type { OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { type Arrival, findBarrierArrivals, arrivalsOf } from '../deployment/dispatch/arrivals.ts'
import { toChainMessages } from '../deployment/dispatch/chain-messages.ts'
import { toIdBatches } from '../deployment/log/log-view.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'

/** The context of a release. */
type ReleaseContext = Pick<ExecutionContext, 'deployment' | 'plan'>
type ReleasePorts = Pick<ExecutorPorts, 'operations' | 'chains' | 'hints'>

/**
 * An ended operation. `isRedelivered`: whether an earlier delivery may have recorded its arrivals.
 */
interface EndedOperation {
  readonly operation: Operation
  readonly verdict: Verdict
  readonly isRedelivered: boolean
}

/**
 * Records the arrival of an ended operation at each waiter. Ends joins that became ready, sends
 * hints for ready hooks, and sends the other ready operations. A single ready operation is returned
 * instead of sent, and the caller continues with it. An end without success arrives at barriers
 * only. If `isRedelivered`, a waiter that has ended may not have released its waiters either. The
 * arrivals of such a waiter are repeated too, along the whole chain. A call can be repeated,
 * because arrivals are sets and ends are written once.
 */
export async function releaseWaiters(
  ports: ReleasePorts,
  context: ReleaseContext,
  endedOperation: EndedOperation,
): Promise<OperationId | undefined> {
  const readyOperations = new Map<OperationId, Operation>()
  const repeatedWaiters = new Set<OperationId>()
  let arrivals = await findArrivals(ports, context, endedOperation)
  while (arrivals.length > 0) {
    const results = await Promise.all(
      arrivals.map(arrival => recordArrival(ports, context, arrival)),
    )
    const readyJoins = new Map<OperationId, Operation>()
    const nextArrivals: Arrival[] = []
    for (const { waiter, isReady, verdict } of results.flatMap(result => result ?? [])) {
      if (isReady && waiter.op === 'join') readyJoins.set(waiter.id, waiter)
      // The generator runs hooks. The hint reaches the generator if it is listening.
      else if (isReady && waiter.op === 'hook') ports.hints.hint(context.deployment, waiter.id)
      else if (isReady) readyOperations.set(waiter.id, waiter)
      if (verdict === undefined || !endedOperation.isRedelivered || repeatedWaiters.has(waiter.id))
        continue
      repeatedWaiters.add(waiter.id)
      nextArrivals.push(...(await findArrivals(ports, context, { operation: waiter, verdict })))
    }
    const end = { owner: '', attempt: 0, verdict: 'succeeded' } as const
    for (const id of readyJoins.keys()) await ports.operations.select(context.deployment, id, end)
    arrivals = [...nextArrivals, ...[...readyJoins.values()].flatMap(arrivalsOf)]
  }
  const [first, ...otherOperations] = readyOperations.values()
  if (otherOperations.length === 0) return first?.id
  await ports.chains.send(toChainMessages(context.deployment, [...readyOperations.values()]))
  return undefined
}

/**
 * Records one arrival. Returns the waiter, whether it is ready, and its verdict. Returns undefined
 * if the log does not contain the waiter.
 */
async function recordArrival(
  ports: ReleasePorts,
  { deployment, plan }: ReleaseContext,
  { from, to }: Arrival,
): Promise<
  | { readonly waiter: Operation; readonly isReady: boolean; readonly verdict: Verdict | undefined }
  | undefined
> {
  const waiter = await plan.find(to)
  if (waiter === undefined) return undefined
  const head = await ports.operations.arrive(deployment, to, from)
  const verdict = head.end?.verdict
  const isReady = verdict === undefined && head.owner === '' && head.arrived.length >= waiter.needs
  return { waiter, isReady, verdict }
}

/**
 * Returns the arrivals of an end. Many failures may block the same operations, so arrivals that are
 * already recorded are omitted. If the process that recorded them crashed before it sent the
 * waiters, the sweep sends them.
 */
async function findArrivals(
  ports: ReleasePorts,
  { deployment, plan }: ReleaseContext,
  { operation, verdict }: Pick<EndedOperation, 'operation' | 'verdict'>,
): Promise<readonly Arrival[]> {
  if (verdict === 'succeeded') return arrivalsOf(operation)
  const [ownArrival, ...blockedArrivals] = await findBarrierArrivals(operation, plan.find)
  if (ownArrival === undefined) return []
  const recordedArrivals = new Map<OperationId, ReadonlySet<OperationId>>()
  for (const batch of toIdBatches([...new Set(blockedArrivals.map(({ to }) => to))], 500))
    for (const [id, { arrived }] of await ports.operations.getHeads(deployment, batch))
      recordedArrivals.set(id, new Set(arrived))
  return [
    ownArrival,
    ...blockedArrivals.filter(({ from, to }) => recordedArrivals.get(to)?.has(from) !== true),
  ]
}
