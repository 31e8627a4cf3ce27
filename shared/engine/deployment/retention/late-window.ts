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

/** The dependencies of the late-window check. */
export interface LateWindowDeps {
  readonly leases: LeasesPort
  readonly catalog: CatalogPort
  readonly clock: ClockPort
  readonly isAlive: LivenessDeps['isAlive']
}

/**
 * Requires that no request of a pending create can still take effect. Its owner may count as dead
 * while its plugin is still running, and a resource created after the clear would be lost. For an
 * owner on an unreachable host, a waiting time after the end of its deployment must be over. `urn`:
 * the pending create to clear; absent: all. Throws PENDING_STILL_RUNS. Source:
 * docs/architecture.md#close.
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
        `the create of '${resource.urn}' may still take effect: process ${running.pid} is running its provider`,
        { details: { urn: resource.urn, pid: running.pid } },
      )
    }
    const unseen = leases.find(({ holder }) => deps.isAlive(holder) === undefined)
    if (unseen === undefined || (await isWaitOver(deps, deployment))) continue
    const { host } = unseen.holder
    throw error(
      'PENDING_STILL_RUNS',
      `the create of '${resource.urn}' may still take effect: its host '${host}' cannot be ` +
        `checked from here. Retry ${limits.lateWindowMs / 60_000} minutes after the end of its ` +
        'deployment',
      { details: { urn: resource.urn, host } },
    )
  }
}

/**
 * Reports whether the waiting time for an unreachable owner is over. An unknown end of the
 * deployment counts as long ago.
 */
async function isWaitOver(
  { catalog, clock }: LateWindowDeps,
  deployment: DeploymentId,
): Promise<boolean> {
  const { endedAt = 0 } = (await readHistoryLine(catalog, deployment)) ?? {}
  return endedAt + limits.lateWindowMs <= clock.now()
}
