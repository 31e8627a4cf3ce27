import { limits } from '../../../config/limits.ts'
import { isBuiltinType } from '../../../names/builtin.ts'
import { typeOf } from '../../../names/urn.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { Head } from '../../../records/head.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'

/** Steps that may be asked a second time when nobody knows whether the first one was heard. */
const repeatable: ReadonlySet<Operation['op']> = new Set([
  'update',
  'delete',
  'delete-replaced',
  'discard',
  'discard-replaced',
  'read',
  'read-replacement',
  'import',
  'import-replacement',
  'refresh',
  'remove-pending-replace',
])

/** Whether a step may be begun again after an attempt that may have called. */
export function isRepeatable({
  op,
  skipCall,
  urn,
}: Pick<Operation, 'op' | 'skipCall' | 'urn'>): boolean {
  return skipCall === true || repeatable.has(op) || isBuiltinType(typeOf(urn))
}

/**
 * Gives a begun operation whose owner is gone back to the living: an outcome that was left is
 * selected; what may be repeated loses its owner, so that it can begin again; a create is ended as
 * interrupted, for only a person can learn what became of it, and so is what five executors died
 * of. Conditional on owner and attempt.
 * Source: docs/architecture.md#resume.
 */
export async function recoverOperation(
  deps: { readonly operations: OperationsPort; readonly deployment: DeploymentId },
  operation: Operation,
  head: Head,
): Promise<void> {
  const { operations, deployment } = deps
  const { owner, attempt, givenBack } = head
  const outcome = await operations.getOutcome(deployment, operation.id, attempt)
  const select = { owner, attempt }
  if (outcome !== undefined)
    await operations.select(deployment, operation.id, { ...select, verdict: outcome.verdict })
  else if (!isRepeatable(operation) || attempt - givenBack >= limits.deliveriesMax)
    await operations.select(deployment, operation.id, { ...select, verdict: 'interrupted' })
  else if (owner !== '') await operations.lapse(deployment, operation.id, owner, attempt)
}
