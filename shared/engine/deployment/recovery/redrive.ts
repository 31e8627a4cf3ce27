import { limits } from '../../../config/limits.ts'
import type { ControlPort, OperationsPort } from '../../../ports/records.ts'
import type { ChainQueuePort } from '../../../ports/queue.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import { toIdBatches } from '../log/log-view.ts'

/**
 * The result of a redrive: the reason why no message was sent, or the number of operations without
 * an end that were sent again.
 */
export type RedriveStatus =
  | { readonly kind: 'none' | 'stopped' | 'nothing' }
  | { readonly kind: 'sent'; readonly operations: number }

/**
 * Sends the dead letters of a deployment again. An operation that has ended meanwhile does not run
 * again. Its message only repeats the arrivals of its end at its waiters. `none`: the deployment is
 * over. `stopped`: the deployment was stopped. `nothing`: there is no dead letter, or all
 * operations of the dead letters have ended.
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
  const deadLetters = await ports.chains.listDeadLetters(deployment)
  const ids = [...new Set(deadLetters.flatMap(({ operations }) => operations))]
  let unfinishedCount = ids.length
  for (const batch of toIdBatches(ids, limits.idsPerReadMax))
    for (const head of (await ports.operations.getHeads(deployment, batch)).values())
      if (head.end !== undefined) unfinishedCount -= 1
  if (unfinishedCount === 0) return { kind: 'nothing' }
  await ports.chains.redrive(deployment)
  return { kind: 'sent', operations: unfinishedCount }
}
