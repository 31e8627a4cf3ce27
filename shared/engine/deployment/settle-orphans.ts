import type { OperationsPort } from '../../ports/records.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import { inBatches } from './log-view.ts'

/**
 * Gives every begun operation whose owner is gone its end: the outcome that it left is selected,
 * else it is written as interrupted, and the fold makes it a pending operation. Each write is
 * conditional on owner and attempt, so it may be repeated and may race with a late owner.
 */
export async function settleOrphans(
  ports: { readonly operations: OperationsPort },
  deployment: DeploymentId,
  ids: readonly OperationId[],
): Promise<void> {
  for (const batch of inBatches(ids, 500)) {
    const heads = await ports.operations.heads(deployment, batch)
    for (const [id, head] of heads) {
      const hasCalled = head.attempt > head.givenBack
      if (head.end !== undefined || !hasCalled) continue
      const outcome = await ports.operations.outcome(deployment, id, head.attempt)
      const verdict = outcome?.verdict ?? 'interrupted'
      await ports.operations.select(deployment, id, { owner: head.owner, attempt: head.attempt, verdict })
    }
  }
}
