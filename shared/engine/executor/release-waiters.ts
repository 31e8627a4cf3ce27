import type { Verdict } from '../../records/head.ts'
import type { OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { type Arrival, findBlockedArrivals, arrivalsOf } from '../deployment/dispatch/arrivals.ts'
import { toChainMessages } from '../deployment/dispatch/chain-messages.ts'
import { toIdBatches } from '../deployment/log/log-view.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'

/** What a release needs of its executor. */
type ReleaseContext = Pick<ExecutionContext, 'deployment' | 'plan'>
type ReleasePorts = Pick<ExecutorPorts, 'operations' | 'chains' | 'hints'>

/** An end, and whether what it releases may have been noted before. */
interface EndedOperation {
  readonly operation: Operation
  readonly verdict: Verdict
  readonly isAgain: boolean
}

/**
 * Notes the arrival of an ended operation on each that waits for it, ends joins that became ready,
 * and sends what became ready; when that is one operation alone, it is answered instead and the
 * caller goes on with it. What did not succeed arrives at barriers only. `isAgain`: its message
 * came again, so that what ended after it may have released nobody either: that is redone too,
 * along the whole chain. May be repeated: arrivals are sets, ends are written once.
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
      // Its generator runs it, and hears of it here if it listens.
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

/** Notes one arrival; answers the waiter, whether nothing keeps it waiting any more, its end. */
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
 * Many failures may block the same many operations: what another one noted already is left to it,
 * and to the sweep should it die.
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
