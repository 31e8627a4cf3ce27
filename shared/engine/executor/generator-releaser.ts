import type { ChainMessage } from '../../ports/queue.ts'
import type { BlobsPort, DecisionLogPort } from '../../ports/records.ts'
import type { DeploymentId } from '../../records/ids.ts'
import { toChainMessages } from '../deployment/dispatch/chain-messages.ts'
import type { HookDeps } from '../deployment/dispatch/run-hooked-call.ts'
import type { ExecutorPorts } from './execution-context.ts'
import { createPlanIndex } from './plan-index.ts'
import { releaseWaiters } from './release-waiters.ts'

/**
 * Creates the function that releases the waiters of operations which the generator ended itself, as
 * executors do for theirs.
 */
export function createReleaser(
  ports: Pick<ExecutorPorts, 'operations' | 'chains' | 'hints'> & {
    readonly decisionLog: DecisionLogPort
    readonly blobs: BlobsPort
  },
  deployment: DeploymentId,
): HookDeps['releaseWaiters'] {
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
    if (ready !== undefined) messages.push(...toChainMessages(deployment, [ready]))
    if (messages.length > 0) await ports.chains.send(messages)
  }
}
