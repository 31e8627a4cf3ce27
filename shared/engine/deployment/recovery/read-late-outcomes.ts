import { createError } from '../../../errors/error.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { DeploymentId, OperationId, StackId } from '../../../records/ids.ts'
import { lateOutcomeKeyOf, type LateOutcome } from '../../../records/late-outcome.ts'
import { pendingOperationsOf } from '../../../state/pending.ts'
import type { StoredDeployment } from '../../../state/stored.ts'
import type { Urn } from '../../../names/urn.ts'

/** Maximum number of outcomes that one deployment takes from the inbox. The others stay there. */
const outcomesMax = 500

/**
 * Reads the late outcomes of a stack from its inbox and from the records of pending creates. The
 * executor of a pending create may have died before it could put the outcome into the inbox.
 */
export async function readLateOutcomes(
  ports: { readonly catalog: CatalogPort; readonly operations: OperationsPort },
  stack: StackId,
  publishedState: StoredDeployment,
): Promise<readonly LateOutcome[]> {
  const outcomesByKey = new Map<string, LateOutcome>()
  for (const lateOutcome of await ports.catalog.listLateOutcomes(stack, outcomesMax))
    outcomesByKey.set(lateOutcomeKeyOf(lateOutcome), lateOutcome)
  for (const { resource, origin } of pendingOperationsOf(publishedState)) {
    if (origin === undefined) continue
    const { attempt } = origin
    const deployment = origin.deployment as DeploymentId
    const operation = origin.operation as OperationId
    const outcome = await ports.operations.getOutcome(deployment, operation, attempt)
    if (outcome?.state === undefined) continue
    const { state } = outcome
    const lateOutcome = { deployment, operation, attempt, urn: resource.urn as Urn, state }
    outcomesByKey.set(lateOutcomeKeyOf(lateOutcome), lateOutcome)
  }
  return [...outcomesByKey.values()]
}

/**
 * Requires that no late outcome waits for a stack. Called before the stack's name or secrets
 * manager changes, because a waiting outcome has this name and is sealed with this manager. Throws
 * PENDING_STILL_RUNS.
 */
export async function requireNoLateOutcomes(
  ports: Parameters<typeof readLateOutcomes>[0],
  stack: StackId,
  publishedState: StoredDeployment,
): Promise<void> {
  const [outcome] = await readLateOutcomes(ports, stack, publishedState)
  if (outcome === undefined) return
  throw createError(
    'PENDING_STILL_RUNS',
    `the late result of '${outcome.urn}' is not in the state of ${stack} yet`,
    { hint: 'Run `antichain refresh` first: it takes the result into the state.' },
  )
}
