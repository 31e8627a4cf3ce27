import { limits } from '../../../config/limits.ts'
import { isBuiltinType } from '../../../names/builtin.ts'
import { typeOf } from '../../../names/urn.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { Head } from '../../../records/head.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'

/**
 * Steps that may be requested a second time when it is unknown whether the provider received the
 * first request.
 */
const repeatableOps: ReadonlySet<Operation['op']> = new Set([
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

/** Reports whether a step may begin again after an attempt that may have called the provider. */
export function isRepeatable({
  op,
  skipCall,
  urn,
}: Pick<Operation, 'op' | 'skipCall' | 'urn'>): boolean {
  return skipCall === true || repeatableOps.has(op) || isBuiltinType(typeOf(urn))
}

/**
 * Recovers a begun operation whose owner is gone. An existing outcome is selected. A repeatable
 * operation loses its owner, so that it can begin again. Any other operation, such as a create, is
 * ended as interrupted, because only a user can find out its result. After `deliveriesMax` attempts
 * that were not given back, a repeatable operation is ended as interrupted too. A delivery begins
 * one attempt, and a further one each time that the provider was lost during the call. Each write
 * is conditional on owner and attempt. Source: docs/architecture.md#resume.
 */
export async function recoverOperation(
  deps: { readonly operations: OperationsPort; readonly deployment: DeploymentId },
  operation: Operation,
  head: Head,
): Promise<void> {
  const { operations, deployment } = deps
  const { owner, attempt, givenBack } = head
  const outcome = await operations.getOutcome(deployment, operation.id, attempt)
  const selection = { owner, attempt }
  if (outcome !== undefined)
    await operations.select(deployment, operation.id, { ...selection, verdict: outcome.verdict })
  else if (!isRepeatable(operation) || attempt - givenBack >= limits.deliveriesMax)
    await operations.select(deployment, operation.id, { ...selection, verdict: 'interrupted' })
  // Without an owner, the operation can already begin again.
  else if (owner !== '') await operations.lapse(deployment, operation.id, owner, attempt)
}
