import type { CatalogPort } from '../../../ports/catalog.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { DeploymentId, OperationId, StackId } from '../../../records/ids.ts'
import { lateKeyOf, type LateOutcome } from '../../../records/late-outcome.ts'
import { pendingOf } from '../../../state/pending.ts'
import type { StoredDeployment } from '../../../state/stored.ts'
import type { Urn } from '../../../names/urn.ts'

/** Most items that one deployment takes; the next one takes more. */
const itemsMax = 500

/**
 * What turned up late for a stack: its inbox, and outcomes that are still in the records of pending
 * creates, because who wrote them died before it could put them there.
 */
export async function readLateOutcomes(
  ports: { readonly catalog: CatalogPort; readonly operations: OperationsPort },
  stack: StackId,
  published: StoredDeployment,
): Promise<readonly LateOutcome[]> {
  const items = new Map<string, LateOutcome>()
  for (const item of await ports.catalog.listLate(stack, itemsMax)) items.set(lateKeyOf(item), item)
  for (const { resource, origin } of pendingOf(published)) {
    if (origin === undefined) continue
    const { attempt } = origin
    const deployment = origin.deployment as DeploymentId
    const operation = origin.operation as OperationId
    const outcome = await ports.operations.getOutcome(deployment, operation, attempt)
    if (outcome?.state === undefined) continue
    const item = { deployment, operation, attempt, urn: resource.urn as Urn, state: outcome.state }
    items.set(lateKeyOf(item), item)
  }
  return [...items.values()]
}
