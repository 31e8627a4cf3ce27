import type { Verdict } from '../../records/head.ts'
import type { OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { type Arrival, findBlockedArrivals, arrivalsOf } from '../deployment/dispatch/arrivals.ts'
import { toChainMessages } from '../deployment/dispatch/chain-messages.ts'
import { toIdBatches } from '../deployment/log/log-view.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'

/** The context of a release. */
type ReleaseContext = Pick<ExecutionContext, 'deployment' | 'plan'>
type ReleasePorts = Pick<ExecutorPorts, 'operations' | 'chains' | 'hints'>

/** An ended operation. `isAgain`: whether its releases may have been recorded before. */
interface EndedOperation {
  readonly operation: Operation
  readonly verdict: Verdict
  readonly isAgain: boolean
}

/**
 * Records the arrival of an ended operation at each waiter, ends joins that became ready, and sends
 * operations that became ready. A single ready operation is returned instead, and the caller
 * continues with it. An end without success arrives at barriers only. `isAgain`: the message was
 * delivered again, so operations that ended later may have released nothing either. Their arrivals
 * are repeated too, along the whole chain. Can be repeated: arrivals are sets, ends are written
 * once.
 */
export async function releaseWaiters(
  ports: ReleasePorts,
  context: ReleaseContext,
  ended: EndedOperation,
): Promise<OperationId | undefined> {
  const ready = new Map<OperationId, Operation>()
  const redone = new Set<OperationId>()
  let arrivals = await findArrivals(ports, context, ended)
  while (arrivals.length > 0) {
    const found = await Promise.all(arrivals.map(arrival => recordArrival(ports, context, arrival)))
    const joins = new Map<OperationId, Operation>()
    const next: Arrival[] = []
    for (const { waiter, isReady, verdict } of found.flatMap(one => one ?? [])) {
      if (isReady && waiter.op === 'join') joins.set(waiter.id, waiter)
      // The generator runs hooks. The hint reaches it if it is listening.
      else if (isReady && waiter.op === 'hook') ports.hints.hint(context.deployment, waiter.id)
      else if (isReady) ready.set(waiter.id, waiter)
      if (verdict === undefined || !ended.isAgain || redone.has(waiter.id)) continue
      redone.add(waiter.id)
      next.push(...(await findArrivals(ports, context, { operation: waiter, verdict })))
    }
    const end = { owner: '', attempt: 0, verdict: 'succeeded' } as const
    for (const id of joins.keys()) await ports.operations.select(context.deployment, id, end)
    arrivals = [...next, ...[...joins.values()].flatMap(arrivalsOf)]
  }
  const [first, ...others] = ready.values()
  if (others.length === 0) return first?.id
  await ports.chains.send(toChainMessages(context.deployment, [...ready.values()]))
  return undefined
}

/** Records one arrival. Returns the waiter, whether it is ready, and its verdict. */
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
 * Returns the arrivals of an end. Many failures may block the same operations. Arrivals that
 * another failure recorded are omitted; the sweep covers a crash of that recorder.
 */
async function findArrivals(
  ports: ReleasePorts,
  { deployment, plan }: ReleaseContext,
  { operation, verdict }: Pick<EndedOperation, 'operation' | 'verdict'>,
): Promise<readonly Arrival[]> {
  if (verdict === 'succeeded') return arrivalsOf(operation)
  const [own, ...blocked] = await findBlockedArrivals(operation, plan.find)
  if (own === undefined) return []
  const noted = new Map<OperationId, ReadonlySet<OperationId>>()
  for (const batch of toIdBatches([...new Set(blocked.map(({ to }) => to))], 500))
    for (const [id, { arrived }] of await ports.operations.getHeads(deployment, batch))
      noted.set(id, new Set(arrived))
  return [own, ...blocked.filter(({ from, to }) => noted.get(to)?.has(from) !== true)]
}
