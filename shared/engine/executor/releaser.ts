import type { ChainMessage } from '../../ports/queue.ts'
import type { BlobsPort, DecisionLogPort } from '../../ports/records.ts'
import type { DeploymentId } from '../../records/ids.ts'
import { chainMessages } from '../deployment/chain-messages.ts'
import type { HookDeps } from '../deployment/drive-hooked.ts'
import type { ExecutorPorts } from './execution-context.ts'
import { createPlanIndex } from './plan-index.ts'
import { releaseWaiters } from './release.ts'

/** Releases what waits for operations that a generator itself ended, as executors do for theirs. */
export function releaserOf(
  ports: Pick<ExecutorPorts, 'operations' | 'chains' | 'hints'> & {
    readonly log: DecisionLogPort
    readonly blobs: BlobsPort
  },
  deployment: DeploymentId,
): HookDeps['release'] {
  const plan = createPlanIndex(ports, deployment)
  return async (operation, verdict) => {
    const messages: ChainMessage[] = []
    const chains = {
      ...ports.chains,
      send: (several: readonly ChainMessage[]) => Promise.resolve(void messages.push(...several)),
    }
    const ended = { operation, verdict, isAgain: false }
    const next = await releaseWaiters({ ...ports, chains }, { deployment, plan }, ended)
    const ready = next === undefined ? undefined : await plan.find(next)
    if (ready !== undefined) messages.push(...chainMessages(deployment, [ready]))
    if (messages.length > 0) await ports.chains.send(messages)
  }
}
