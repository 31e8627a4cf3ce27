import type { Verdict } from '../../records/head.ts'
import type { OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { type Arrival, findBarrierArrivals, arrivalsOf } from '../deployment/dispatch/arrivals.ts'
import { toChainMessages } from '../deployment/dispatch/chain-messages.ts'
import { readHeads } from '../deployment/ends/read-heads.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'

/** The deployment, and the index of its log with the waiters. */
type ReleaseContext = Pick<ExecutionContext, 'deployment' | 'logIndex'>
/** The ports that a release uses. */
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
 * instead of sent, and the caller continues with it. Otherwise returns undefined. An end without
 * success arrives at barriers only. A call can be repeated, because arrivals are sets and ends are
 * written once.
 *
 * If `isRedelivered`, the executor of the earlier delivery may have crashed between the end of a
 * waiter and the release of that waiter's own waiters. So the arrivals of ended waiters are
 * repeated too, see `selectRepeatedWaiters`. A redelivery sends an operation only if one of its
 * arrivals was missing. Otherwise each redelivered operation would send its waiters once more, and
 * the number of messages would multiply. If only one operation is ready, it is returned even
 * without a missing arrival, because no message is needed. Several ready operations without a
 * missing arrival are not sent. If their message was lost, the sweep sends them.
 */
export async function releaseWaiters(
  ports: ReleasePorts,
  context: ReleaseContext,
  endedOperation: EndedOperation,
): Promise<OperationId | undefined> {
  const { isRedelivered } = endedOperation
  const readyOperations = new Map<OperationId, Operation>()
  /** Ready operations whose arrival was already recorded. Their messages may be in the queue. */
  const earlierReadyOperations = new Map<OperationId, Operation>()
  const repeatedWaiters = new Set<OperationId>()
  let arrivals = await findArrivals(ports, context, endedOperation)
  while (arrivals.length > 0) {
    const results = await recordArrivals(ports, context, { arrivals, isRedelivered })
    const readyJoins = new Map<OperationId, Operation>()
    for (const { waiter, isReady, isNew } of results) {
      if (isReady && waiter.op === 'join') readyJoins.set(waiter.id, waiter)
      // The generator runs hooks. The hint reaches the generator if it is listening.
      else if (isReady && waiter.op === 'hook') ports.hints.hint(context.deployment, waiter.id)
      else if (isReady) (isNew ? readyOperations : earlierReadyOperations).set(waiter.id, waiter)
    }
    const nextArrivals: Arrival[] = []
    for (const { waiter, verdict } of isRedelivered ? selectRepeatedWaiters(results) : []) {
      if (repeatedWaiters.has(waiter.id)) continue
      repeatedWaiters.add(waiter.id)
      nextArrivals.push(...(await findArrivals(ports, context, { operation: waiter, verdict })))
    }
    const end = { owner: '', attempt: 0, verdict: 'succeeded' } as const
    for (const id of readyJoins.keys()) await ports.operations.select(context.deployment, id, end)
    arrivals = [...nextArrivals, ...[...readyJoins.values()].flatMap(arrivalsOf)]
  }
  const [first, ...otherOperations] = readyOperations.values()
  if (first === undefined && earlierReadyOperations.size === 1)
    return [...earlierReadyOperations.keys()][0]
  if (otherOperations.length === 0) return first?.id
  await ports.chains.send(toChainMessages(context.deployment, [...readyOperations.values()]))
  return undefined
}

/** A waiter after an arrival. `isNew`: whether the arrival was not recorded before. */
interface WaiterStatus {
  readonly waiter: Operation
  readonly isReady: boolean
  readonly isNew: boolean
  readonly verdict: Verdict | undefined
}

/**
 * Returns the ended waiters whose arrivals a redelivery repeats. These are all ended joins. If
 * exactly one other waiter has ended, it is returned too: the executor of the earlier delivery may
 * have continued with it.
 */
function selectRepeatedWaiters(
  results: readonly WaiterStatus[],
): readonly { readonly waiter: Operation; readonly verdict: Verdict }[] {
  const endedWaiters = results.filter(
    ({ waiter, verdict }) => waiter.op !== 'join' && verdict !== undefined,
  )
  const mayContinue = endedWaiters.length === 1
  return results.flatMap(({ waiter, verdict }) =>
    verdict !== undefined && (waiter.op === 'join' || mayContinue) ? [{ waiter, verdict }] : [],
  )
}

/**
 * Records arrivals. A redelivery first reads which of them are missing. Returns the status of each
 * waiter that the log contains.
 */
async function recordArrivals(
  ports: ReleasePorts,
  { deployment, logIndex }: ReleaseContext,
  request: { readonly arrivals: readonly Arrival[]; readonly isRedelivered: boolean },
): Promise<readonly WaiterStatus[]> {
  const { arrivals, isRedelivered } = request
  const waiterIds = isRedelivered ? [...new Set(arrivals.map(({ to }) => to))] : []
  const heads = await readHeads(ports.operations, deployment, waiterIds)
  const statuses = await Promise.all(
    arrivals.map(async ({ from, to }): Promise<WaiterStatus | undefined> => {
      const waiter = await logIndex.find(to)
      if (waiter === undefined) return undefined
      const earlierHead = heads.get(to)
      const isNew = earlierHead?.arrived.includes(from) !== true
      const head =
        earlierHead === undefined || isNew
          ? await ports.operations.arrive(deployment, to, from)
          : earlierHead
      const verdict = head.end?.verdict
      const isReady =
        verdict === undefined && head.owner === '' && head.arrived.length >= waiter.needs
      return { waiter, isReady, isNew, verdict }
    }),
  )
  return statuses.flatMap(status => status ?? [])
}

/**
 * Returns the arrivals of an end. Many failures may block the same operations, so arrivals that are
 * already recorded are omitted. If the process that recorded them crashed before it sent the
 * waiters, the sweep sends them.
 */
async function findArrivals(
  ports: ReleasePorts,
  { deployment, logIndex }: ReleaseContext,
  { operation, verdict }: Pick<EndedOperation, 'operation' | 'verdict'>,
): Promise<readonly Arrival[]> {
  if (verdict === 'succeeded') return arrivalsOf(operation)
  const [ownArrival, ...blockedArrivals] = await findBarrierArrivals(operation, logIndex.find)
  if (ownArrival === undefined) return []
  const waiterIds = [...new Set(blockedArrivals.map(({ to }) => to))]
  const recordedArrivals = new Map(
    [...(await readHeads(ports.operations, deployment, waiterIds))].map(
      ([id, { arrived }]) => [id, new Set(arrived)] as const,
    ),
  )
  return [
    ownArrival,
    ...blockedArrivals.filter(({ from, to }) => recordedArrivals.get(to)?.has(from) !== true),
  ]
}
