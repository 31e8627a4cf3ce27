import type { BlobsPort, DecisionLogPort, OperationsPort } from '../../ports/records.ts'
import type { Head, Outcome } from '../../records/head.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { executedOperations, inBatches, viewLog } from './log-view.ts'

const creating: ReadonlySet<Operation['op']> = new Set(['create', 'create-replacement'])

/**
 * Successful creates of a deployment that its fold does not have: their outcome came when their
 * operation had ended otherwise. Each made something that exists (I9).
 */
export async function lateCreates(
  ports: {
    readonly log: DecisionLogPort
    readonly blobs: BlobsPort
    readonly operations: OperationsPort
  },
  deployment: DeploymentId,
): Promise<readonly Outcome[]> {
  const view = await viewLog(ports, deployment)
  const creates = executedOperations(view).filter(
    ({ op, skipCall }) => creating.has(op) && skipCall !== true,
  )
  const late: Outcome[] = []
  const ids = creates.map(({ id }) => id)
  for (const batch of inBatches(ids, 500))
    for (const [id, head] of await ports.operations.heads(deployment, batch))
      for (const attempt of unselected(head)) {
        const outcome = await outcomeOf(ports, { deployment, id, attempt })
        if (outcome !== undefined && outcome.verdict !== 'failed') late.push(outcome)
      }
  return late
}

/** The attempts whose outcome, if any, is not the end of their operation. */
function unselected({ attempt, end }: Head): readonly number[] {
  const attempts = Array.from({ length: attempt }, (_, at) => at + 1)
  return attempts.filter(one => end?.verdict === 'interrupted' || end?.attempt !== one)
}

function outcomeOf(
  ports: { readonly operations: OperationsPort },
  at: { readonly deployment: DeploymentId; readonly id: OperationId; readonly attempt: number },
): Promise<Outcome | undefined> {
  return ports.operations.outcome(at.deployment, at.id, at.attempt)
}
