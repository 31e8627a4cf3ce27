import { readHistoryLine } from './stack-history.ts'
import { limits } from '../../../config/limits.ts'
import { error } from '../../../errors/error.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type { LeasesPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import { pendingOf } from '../../../state/pending.ts'
import type { StoredDeployment } from '../../../state/stored.ts'
import type { LivenessDeps } from '../ownership/liveness.ts'

/** What it asks of the outside whether a late window is over. */
export interface LateWindowDeps {
  readonly leases: LeasesPort
  readonly catalog: CatalogPort
  readonly clock: ClockPort
  readonly isAlive: LivenessDeps['isAlive']
}

/**
 * Requires that no request of a pending create can land any more: whoever began it may be taken for
 * dead while its plugin still runs, and what is forgotten now would be found by nobody then. Of
 * another host nothing can be seen: it is given a time after the end of its deployment. `urn`: the
 * only one that is to be forgotten; all pending creates without it. Throws PENDING_STILL_RUNS.
 * Source: docs/architecture.md#close.
 */
export async function requireLateWindowOver(
  deps: LateWindowDeps,
  state: StoredDeployment,
  urn?: string,
): Promise<void> {
  for (const { resource, origin } of pendingOf(state)) {
    if (origin === undefined || (urn ?? resource.urn) !== resource.urn) continue
    const deployment = origin.deployment as DeploymentId
    const leases = await deps.leases.list(deployment)
    for (const { holder, groups } of leases) {
      const running = groups.find(group => deps.isAlive({ ...group, host: holder.host }) === true)
      if (running === undefined) continue
      throw error(
        'PENDING_STILL_RUNS',
        `the create of '${resource.urn}' may still take place: process ${running.pid} runs its provider`,
        { details: { urn: resource.urn, pid: running.pid } },
      )
    }
    const unseen = leases.find(({ holder }) => deps.isAlive(holder) === undefined)
    if (unseen === undefined || (await isWaitOver(deps, deployment))) continue
    const { host } = unseen.holder
    throw error(
      'PENDING_STILL_RUNS',
      `the create of '${resource.urn}' may still take place: nothing is known of host '${host}', ` +
        `which is given ${limits.lateWindowMs / 60_000} minutes after the end of its deployment`,
      { details: { urn: resource.urn, host } },
    )
  }
}

/** Whether the time of owners that cannot be asked is over: also when nobody knows since when. */
async function isWaitOver(
  { catalog, clock }: LateWindowDeps,
  deployment: DeploymentId,
): Promise<boolean> {
  const { endedAt = 0 } = (await readHistoryLine(catalog, deployment)) ?? {}
  return endedAt + limits.lateWindowMs <= clock.now()
}
