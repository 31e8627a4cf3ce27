import { readHistoryRecord } from './read-history-and-versions.ts'
import { limits } from '../../../config/limits.ts'
import { createError } from '../../../errors/error.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type { LeasesPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import { pendingOperationsOf } from '../../../state/pending.ts'
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
 * Requires that no request of a pending create can still take effect. The owner of a create may
 * count as dead while its plugin is still running. A resource that the plugin creates after the
 * pending create was cleared would be lost. The check covers all executors of the deployment that
 * started the create, except those that ended all their operations. If one of them is on an
 * unreachable host, the late window after the end of that deployment must have passed. `urn`: the
 * pending create to clear. Absent: all. Throws PENDING_STILL_RUNS. Source:
 * docs/architecture.md#close.
 */
export async function requireLateWindowOver(
  deps: LateWindowDeps,
  state: StoredDeployment,
  urn?: string,
): Promise<void> {
  for (const { resource, origin } of pendingOperationsOf(state)) {
    if (origin === undefined || (urn ?? resource.urn) !== resource.urn) continue
    const deployment = origin.deployment as DeploymentId
    const leases = (await deps.leases.list(deployment)).filter(({ left }) => !left)
    for (const { holder, groups } of leases) {
      const runningGroup = groups.find(
        group => deps.isAlive({ ...group, host: holder.host }) === true,
      )
      if (runningGroup === undefined) continue
      throw createError(
        'PENDING_STILL_RUNS',
        `the create of '${resource.urn}' may still take effect: process ${runningGroup.pid} is running a provider of its deployment`,
        { details: { urn: resource.urn, pid: runningGroup.pid } },
      )
    }
    const unreachableLease = leases.find(({ holder }) => deps.isAlive(holder) === undefined)
    if (unreachableLease === undefined || (await hasLateWindowPassed(deps, deployment))) continue
    const { host } = unreachableLease.holder
    throw createError(
      'PENDING_STILL_RUNS',
      `the create of '${resource.urn}' may still take effect: its host '${host}' cannot be ` +
        `checked from here. Retry ${limits.lateWindowMs / 60_000} minutes after the end of its ` +
        'deployment',
      { details: { urn: resource.urn, host } },
    )
  }
}

/**
 * Reports whether the late window after the end of a deployment has passed. If the end of the
 * deployment is unknown, the late window counts as passed.
 */
async function hasLateWindowPassed(
  { catalog, clock }: LateWindowDeps,
  deployment: DeploymentId,
): Promise<boolean> {
  const { endedAt = 0 } = (await readHistoryRecord(catalog, deployment)) ?? {}
  return endedAt + limits.lateWindowMs <= clock.now()
}
