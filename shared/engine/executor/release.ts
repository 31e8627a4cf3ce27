import type { OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { chainMessages } from '../deployment/chain-messages.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'

/**
 * Notes the arrival of an ended operation on each that waits for it, ends joins that became ready,
 * and sends what became ready; when that is one operation alone, it is answered instead and the
 * caller goes on with it. May be repeated: arrivals are sets, ends are written once.
 */
export async function releaseWaiters(
  ports: ExecutorPorts,
  context: ExecutionContext,
  ended: Operation,
): Promise<OperationId | undefined> {
  const { deployment, plan } = context
  const ready: Operation[] = []
  const open: Operation[] = [ended]
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    const source = from.id
    const waiters = await Promise.all(from.releases.map(id => plan.find(id)))
    const arrived = await Promise.all(
      waiters.map(async waiter => {
        if (waiter === undefined) return undefined
        const head = await ports.operations.arrive(deployment, waiter.id, source)
        return head.end === undefined && head.owner === '' && head.arrived.length >= waiter.needs
          ? waiter
          : undefined
      }),
    )
    for (const waiter of arrived) {
      if (waiter === undefined) continue
      if (waiter.op !== 'join') ready.push(waiter)
      else {
        await ports.operations.select(deployment, waiter.id, {
          owner: '',
          attempt: 0,
          verdict: 'succeeded',
        })
        open.push(waiter)
      }
    }
  }
  if (ready.length === 1) return ready[0]?.id
  if (ready.length > 0) await ports.chains.send(chainMessages(deployment, ready))
  return undefined
}
