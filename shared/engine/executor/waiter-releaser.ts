import type { ChainMessage } from '../../ports/queue.ts'
import type { BlobsPort, DecisionLogPort } from '../../ports/records.ts'
import type { DeploymentId } from '../../records/ids.ts'
import { toChainMessages } from '../deployment/dispatch/chain-messages.ts'
import type { HookDeps } from '../deployment/dispatch/run-hooks.ts'
import type { ExecutorPorts } from './execution-context.ts'
import { createLogIndex } from './log-index.ts'
import { releaseWaiters } from './release-waiters.ts'

/**
 * Creates the function that releases the waiters of operations that the generator has ended.
 * Executors do the same for the operations that they end.
 */
export function createWaiterReleaser(
  ports: Pick<ExecutorPorts, 'operations' | 'chains' | 'hints'> & {
    readonly decisionLog: DecisionLogPort
    readonly blobs: BlobsPort
  },
  deployment: DeploymentId,
): HookDeps['releaseWaiters'] {
  const logIndex = createLogIndex(ports, deployment)
  return async (operation, verdict) => {
    // All messages are collected, and sent together at the end.
    const messages: ChainMessage[] = []
    const chains = {
      ...ports.chains,
      send: (messagesToSend: readonly ChainMessage[]) =>
        Promise.resolve(void messages.push(...messagesToSend)),
    }
    const endedOperation = { operation, verdict, isRedelivered: false }
    const readyId = await releaseWaiters(
      { ...ports, chains },
      { deployment, logIndex },
      endedOperation,
    )
    const readyOperation = readyId === undefined ? undefined : await logIndex.find(readyId)
    if (readyOperation !== undefined)
      messages.push(...toChainMessages(deployment, [readyOperation]))
    if (messages.length > 0) await ports.chains.send(messages)
  }
}
