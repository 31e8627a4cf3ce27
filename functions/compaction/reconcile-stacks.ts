import { removeEndedRequests } from './remove-ended-requests.ts'
import type { CatalogPort } from '../../shared/ports/catalog.ts'
import type { DocumentsPort } from '../../shared/ports/documents.ts'
import { findStacksWithExpiredApprovals } from '../../shared/runtime/approvals/stored-approval.ts'
import { listOpenDeployments } from '../../shared/ports/open-deployments.ts'
import type { NudgesPort } from '../../shared/ports/queue.ts'
import type { RequestsPort } from '../../shared/ports/requests.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { DeploymentId, StackId } from '../../shared/records/ids.ts'

/** The dependencies of reconciling stacks. */
export interface ReconcileDeps {
  readonly catalog: Pick<CatalogPort, 'listStacks'>
  readonly requests: Pick<RequestsPort, 'listWaiting' | 'removeEnded'>
  readonly nudges: Pick<NudgesPort, 'nudge'>
  /** The approvals for which requests wait. */
  readonly documents: Pick<DocumentsPort, 'list'>
  readonly clock: Pick<ClockPort, 'now'>
}

/** The result of reconciling stacks. */
export interface ReconcileResult {
  readonly nudgedStacks: readonly StackId[]
  /** Ids of the stacks with unreadable records. */
  readonly unreadableStacks: readonly StackId[]
  readonly removedRequestCount: number
  /** The open deployments of all stacks: running or interrupted. */
  readonly openDeployments: readonly DeploymentId[]
}

/**
 * Nudges each stack with a current deployment or a waiting request, in case all of its nudges were
 * lost. Also nudges each stack with an expired approval, so that a generator reports the expiry.
 * Removes ended requests that were made long ago. Can be called at any time: a superfluous
 * nudge only causes a check.
 */
export async function reconcileStacks(deps: ReconcileDeps): Promise<ReconcileResult> {
  const { stacks, unreadable: unreadableStacks } = await deps.catalog.listStacks()
  const nudgedStacks: StackId[] = []
  const openDeployments = stacks.flatMap(listOpenDeployments)
  for (const { id, current } of stacks) {
    const isDue = current !== '' || (await deps.requests.listWaiting(id, 1)).length > 0
    if (!isDue) continue
    await deps.nudges.nudge(id, 0)
    nudgedStacks.push(id)
  }
  const now = deps.clock.now()
  for (const stack of await findStacksWithExpiredApprovals(deps.documents, now))
    await deps.nudges.nudge(stack, 0, { reportsExpiredApprovals: true })
  const removedRequestCount = await removeEndedRequests(deps)
  return {
    nudgedStacks,
    unreadableStacks: unreadableStacks.map(({ id }) => id),
    removedRequestCount,
    openDeployments,
  }
}
