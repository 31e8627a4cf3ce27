import type { OperationsPort } from '../../../ports/records.ts'
import type { Head, Verdict } from '../../../records/head.ts'
import type { DeploymentId, ExecutorId, OperationId } from '../../../records/ids.ts'
import { toIdBatches } from '../log/log-view.ts'

/**
 * Ends every operation that may have called and whose owner is gone. Its existing outcome is
 * selected. Otherwise it ends as interrupted, and the fold makes it a pending operation. An attempt
 * of a living owner began after the stop flag, so that owner gives it back. Each write is
 * conditional on owner and attempt, so it can be repeated and can race with a late owner.
 */
export async function settleOrphans(
  ports: { readonly operations: OperationsPort; readonly gone: ReadonlySet<ExecutorId> },
  deployment: DeploymentId,
  ids: readonly OperationId[],
): Promise<void> {
  for (let open = ids; open.length > 0; ) {
    const refused: OperationId[] = []
    for (const batch of toIdBatches(open, 500))
      for (const [id, head] of await ports.operations.getHeads(deployment, batch)) {
        if (head.end !== undefined || !mayHaveCalled(head, ports.gone)) continue
        const outcome = await ports.operations.getOutcome(deployment, id, head.attempt)
        const verdict: Verdict = outcome?.verdict ?? 'interrupted'
        const { owner, attempt } = head
        const end = { owner, attempt, verdict }
        if (!(await ports.operations.select(deployment, id, end))) refused.push(id)
      }
    // Another executor began it again meanwhile, saw the stop flag and gave it back, so it is
    // checked again.
    open = refused
  }
}

/** Reports whether any attempt of an operation may have called its provider. */
function mayHaveCalled(
  { owner, executor, attempt, givenBack }: Head,
  gone: ReadonlySet<ExecutorId>,
): boolean {
  const isHeld = owner !== '' && executor !== '' && !gone.has(executor)
  return attempt - (isHeld ? 1 : 0) > givenBack
}
