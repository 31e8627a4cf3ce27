import type { ChainQueuePort } from '../../../ports/queue.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import type { DeploymentOptions } from '../../../records/log.ts'

/** The queue of a platform, and the place where its operations are executed. */
export interface DeadLetterPorts {
  readonly chains: Pick<ChainQueuePort, 'listDeadLetters'>
  readonly execute: DeploymentOptions['execute']
}

/**
 * Lists the operations of a deployment whose messages became dead letters. Returns none where
 * functions execute: a read of their queue hides the messages for a time, also from a redrive.
 */
export async function listUndelivered(
  { chains, execute }: DeadLetterPorts,
  deployment: DeploymentId,
): Promise<readonly OperationId[]> {
  if (execute === 'functions') return []
  return (await chains.listDeadLetters(deployment)).flatMap(({ operations }) => operations)
}
