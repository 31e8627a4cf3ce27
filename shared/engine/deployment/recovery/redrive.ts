import type { ControlPort, OperationsPort } from '../../../ports/records.ts'
import type { ChainQueuePort } from '../../../ports/queue.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import { toIdBatches } from '../log/log-view.ts'

/** What of an open deployment is tried again: nothing was given up, or so many operations. */
export type RedriveStatus =
  | { readonly kind: 'none' | 'stopped' | 'nothing' }
  | { readonly kind: 'sent'; readonly operations: number }

/**
 * Tries again what the queue has given up of a deployment. What ended meanwhile is not repeated:
 * its message only redoes what its end releases. `none`: it is over; `stopped`: it was told to
 * stop.
 */
export async function redriveDeployment(
  ports: {
    readonly control: Pick<ControlPort, 'read'>
    readonly chains: Pick<ChainQueuePort, 'listDeadLetters' | 'redrive'>
    readonly operations: Pick<OperationsPort, 'getHeads'>
  },
  deployment: DeploymentId,
): Promise<RedriveStatus> {
  const control = await ports.control.read(deployment)
  if (control === undefined || control.closed) return { kind: 'none' }
  if (control.stop !== 'none') return { kind: 'stopped' }
  const letters = await ports.chains.listDeadLetters(deployment)
  const ids = [...new Set(letters.flatMap(({ operations }) => operations))]
  let open = ids.length
  for (const batch of toIdBatches(ids, 500))
    for (const head of (await ports.operations.getHeads(deployment, batch)).values())
      if (head.end !== undefined) open -= 1
  if (open === 0) return { kind: 'nothing' }
  await ports.chains.redrive(deployment)
  return { kind: 'sent', operations: open }
}
