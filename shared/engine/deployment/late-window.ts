import { error } from '../../errors/error.ts'
import type { LeasesPort } from '../../ports/records.ts'
import type { DeploymentId } from '../../records/ids.ts'
import { pendingOf } from '../../state/pending.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import type { LivenessDeps } from './liveness.ts'

/**
 * Requires that no request of a pending create can land any more: whoever began it may be taken for
 * dead while its plugin still runs, and what is forgotten now would be found by nobody then. `urn`:
 * the only one that is to be forgotten; all pending creates without it. Throws PENDING_STILL_RUNS.
 * Source: design, late window.
 */
export async function requireOver(
  deps: { readonly leases: LeasesPort; readonly isAlive: LivenessDeps['isAlive'] },
  state: StoredDeployment,
  urn?: string,
): Promise<void> {
  for (const { resource, origin } of pendingOf(state)) {
    if (origin === undefined || (urn ?? resource.urn) !== resource.urn) continue
    for (const { holder, groups } of await deps.leases.list(origin.deployment as DeploymentId)) {
      const running = groups.find(group => deps.isAlive({ ...group, host: holder.host }) === true)
      if (running === undefined) continue
      throw error(
        'PENDING_STILL_RUNS',
        `the create of '${resource.urn}' may still take place: process ${running.pid} runs its provider`,
        { details: { urn: resource.urn, pid: running.pid } },
      )
    }
  }
}
