import { forgetRequests } from './forget-requests.ts'
import type { CatalogPort } from '../../shared/ports/catalog.ts'
import type { NudgesPort } from '../../shared/ports/queue.ts'
import type { RequestsPort } from '../../shared/ports/requests.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { DeploymentId, StackId } from '../../shared/records/ids.ts'

/** What looking through the stacks asks of the outside. */
export interface ReconcileDeps {
  readonly catalog: Pick<CatalogPort, 'listStacks'>
  readonly requests: Pick<RequestsPort, 'listWaiting' | 'forget'>
  readonly nudges: Pick<NudgesPort, 'nudge'>
  readonly clock: Pick<ClockPort, 'now'>
}

/** What a look through the stacks came to. */
export interface ReconcileResult {
  readonly nudged: readonly StackId[]
  /** Stacks whose records cannot be read, by their ids. */
  readonly unreadable: readonly StackId[]
  readonly forgotten: number
  /** Deployments that are not over. */
  readonly open: readonly DeploymentId[]
}

/**
 * Nudges each stack that has a deployment or a request, in case every message about it was lost,
 * and forgets requests that ended long ago. May be called at any time: a nudge too many only looks.
 */
export async function reconcileStacks(deps: ReconcileDeps): Promise<ReconcileResult> {
  const { stacks, unreadable } = await deps.catalog.listStacks()
  const nudged: StackId[] = []
  const open = stacks.flatMap(({ current }) => (current === '' ? [] : [current]))
  for (const { id, current } of stacks) {
    const isDue = current !== '' || (await deps.requests.listWaiting(id, 1)).length > 0
    if (!isDue) continue
    await deps.nudges.nudge(id, 0)
    nudged.push(id)
  }
  const forgotten = await forgetRequests(deps)
  return { nudged, unreadable: unreadable.map(({ id }) => id), forgotten, open }
}
