import type { Verdict } from '../../records/head.ts'
import type { OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { type Arrival, arrivalsAfterFailure, arrivalsOf } from '../deployment/arrivals.ts'
import { chainMessages } from '../deployment/chain-messages.ts'
import { inBatches } from '../deployment/log-view.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'

/** What a release needs of its executor. */
type Releasing = Pick<ExecutionContext, 'deployment' | 'plan'>
type ReleasePorts = Pick<ExecutorPorts, 'operations' | 'chains'>

/**
 * Notes the arrival of an ended operation on each that waits for it, ends joins that became ready,
 * and sends what became ready; when that is one operation alone, it is answered instead and the
 * caller goes on with it. What did not succeed arrives at barriers only. May be repeated: arrivals
 * are sets, ends are written once.
 */
export async function releaseWaiters(
  ports: ReleasePorts,
  context: Releasing,
  ended: { readonly operation: Operation; readonly verdict: Verdict },
): Promise<OperationId | undefined> {
  const ready = new Map<OperationId, Operation>()
  let arrivals = await firstArrivals(ports, context, ended)
  while (arrivals.length > 0) {
    const released = await Promise.all(arrivals.map(arrival => arrive(ports, context, arrival)))
    const joins = new Map<OperationId, Operation>()
    for (const waiter of released)
      if (waiter?.op === 'join') joins.set(waiter.id, waiter)
      else if (waiter !== undefined) ready.set(waiter.id, waiter)
    const end = { owner: '', attempt: 0, verdict: 'succeeded' } as const
    for (const id of joins.keys()) await ports.operations.select(context.deployment, id, end)
    arrivals = [...joins.values()].flatMap(arrivalsOf)
  }
  const [first, ...others] = ready.values()
  if (others.length === 0) return first?.id
  await ports.chains.send(chainMessages(context.deployment, [...ready.values()]))
  return undefined
}

/** Notes one arrival; answers the waiter when nothing keeps it waiting any more. */
async function arrive(
  ports: ReleasePorts,
  { deployment, plan }: Releasing,
  { from, to }: Arrival,
): Promise<Operation | undefined> {
  const waiter = await plan.find(to)
  if (waiter === undefined) return undefined
  const head = await ports.operations.arrive(deployment, to, from)
  const isReady = head.end === undefined && head.owner === '' && head.arrived.length >= waiter.needs
  return isReady ? waiter : undefined
}

/**
 * Many failures may block the same many operations: what another one noted already is left to it,
 * and to the sweep should it die.
 */
async function firstArrivals(
  ports: ReleasePorts,
  { deployment, plan }: Releasing,
  { operation, verdict }: { readonly operation: Operation; readonly verdict: Verdict },
): Promise<readonly Arrival[]> {
  if (verdict === 'succeeded') return arrivalsOf(operation)
  const [own, ...blocked] = await arrivalsAfterFailure(operation, plan.find)
  if (own === undefined) return []
  const noted = new Map<OperationId, ReadonlySet<OperationId>>()
  for (const batch of inBatches([...new Set(blocked.map(({ to }) => to))], 500))
    for (const [id, { arrived }] of await ports.operations.heads(deployment, batch))
      noted.set(id, new Set(arrived))
  return [own, ...blocked.filter(({ from, to }) => noted.get(to)?.has(from) !== true)]
}
