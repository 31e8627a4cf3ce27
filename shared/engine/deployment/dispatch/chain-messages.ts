import { limits } from '../../../config/limits.ts'
import type { ChainMessage } from '../../../ports/queue.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'

/**
 * Returns messages for ready operations, one or more per provider instance. A message has the ids
 * of its operations, not their contents.
 */
export function toChainMessages(
  deployment: DeploymentId,
  readyOperations: readonly Operation[],
): readonly ChainMessage[] {
  const groups = new Map<string, OperationId[]>()
  for (const operation of readyOperations) {
    const group = groups.get(operation.provider)
    if (group === undefined) groups.set(operation.provider, [operation.id])
    else group.push(operation.id)
  }
  const messages: ChainMessage[] = []
  for (const [provider, ids] of groups)
    messages.push(...splitIds(ids).map(operations => ({ deployment, operations, provider })))
  return messages
}

/** Merges messages of the same deployment, pool, provider instance and delay. Pure. */
export function mergeMessages(messages: readonly ChainMessage[]): readonly ChainMessage[] {
  const groups = new Map<string, { readonly template: ChainMessage; readonly ids: OperationId[] }>()
  for (const message of messages) {
    const { deployment, pool = '', provider = '', delayMs = 0, operations } = message
    const key = JSON.stringify([deployment, pool, provider, delayMs])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { template: message, ids: [...operations] })
    else group.ids.push(...operations)
  }
  return [...groups.values()].flatMap(({ template, ids }) =>
    splitIds([...new Set(ids)]).map(operations => ({ ...template, operations })),
  )
}

/**
 * Splits ids into groups. The size of a group is limited to the number of operations that one
 * executor runs concurrently.
 */
function splitIds(ids: readonly OperationId[]): readonly (readonly OperationId[])[] {
  const groups: (readonly OperationId[])[] = []
  for (let start = 0; start < ids.length; start += limits.chainOperationsMax)
    groups.push(ids.slice(start, start + limits.chainOperationsMax))
  return groups
}
