import type { ChainMessage } from '../../ports/queue.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'

/** Most operations in one message: an executor runs that many at once. */
const operationsMax = 64

/** Ready operations as messages: grouped by provider instance, ids only. */
export function chainMessages(deployment: DeploymentId, ready: readonly Operation[]): readonly ChainMessage[] {
  const groups = new Map<string, OperationId[]>()
  for (const operation of ready) {
    const group = groups.get(operation.provider)
    if (group === undefined) groups.set(operation.provider, [operation.id])
    else group.push(operation.id)
  }
  const messages: ChainMessage[] = []
  for (const ids of groups.values())
    for (let at = 0; at < ids.length; at += operationsMax)
      messages.push({ deployment, operations: ids.slice(at, at + operationsMax) })
  return messages
}
