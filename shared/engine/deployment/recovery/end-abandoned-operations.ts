import { limits } from '../../../config/limits.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { Head, Verdict } from '../../../records/head.ts'
import type { DeploymentId, ExecutorId, OperationId } from '../../../records/ids.ts'
import { toIdBatches } from '../log/log-view.ts'

/**
 * Ends every operation of which an attempt may have called the provider. The current attempt of a
 * living owner does not count, because it began after the stop flag and is given back. An existing
 * outcome is selected. Otherwise the operation ends as interrupted, and the fold makes it a pending
 * operation. Each write is conditional on owner and attempt, so it can be repeated and can race
 * with a late owner.
 */
export async function endAbandonedOperations(
  ports: { readonly operations: OperationsPort; readonly goneExecutors: ReadonlySet<ExecutorId> },
  deployment: DeploymentId,
  ids: readonly OperationId[],
): Promise<void> {
  for (let pendingIds = ids; pendingIds.length > 0; ) {
    const refusedIds: OperationId[] = []
    for (const batch of toIdBatches(pendingIds, limits.idsPerReadMax))
      for (const [id, head] of await ports.operations.getHeads(deployment, batch)) {
        if (head.end !== undefined || !mustEnd(head, ports.goneExecutors)) continue
        const outcome = await ports.operations.getOutcome(deployment, id, head.attempt)
        const verdict: Verdict = outcome?.verdict ?? 'interrupted'
        const { owner, attempt } = head
        const end = { owner, attempt, verdict }
        if (!(await ports.operations.select(deployment, id, end))) refusedIds.push(id)
      }
    // A refused write means that the head has changed. A late owner has ended the operation, or
    // another executor has begun it again and gives it back. The head is read again.
    pendingIds = refusedIds
  }
}

/**
 * Reports whether an attempt of an operation may have called its provider, apart from the current
 * attempt of a living owner.
 */
function mustEnd(
  { owner, executor, attempt, givenBack }: Head,
  goneExecutors: ReadonlySet<ExecutorId>,
): boolean {
  const hasLivingOwner = owner !== '' && executor !== '' && !goneExecutors.has(executor)
  return attempt - (hasLivingOwner ? 1 : 0) > givenBack
}
