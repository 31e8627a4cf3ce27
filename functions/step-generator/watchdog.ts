import { limits } from '../../shared/config/limits.ts'
import type { LeasesPort } from '../../shared/ports/records.ts'
import type { NudgesPort, ObservedHolder } from '../../shared/ports/queue.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { Control, Lease } from '../../shared/records/head.ts'
import {
  isGeneratorLease,
  generatorLeaseIdOf,
} from '../../shared/engine/deployment/ownership/generator-lease.ts'
import { type DeploymentId, deploymentPartsOf } from '../../shared/records/ids.ts'
import type { Holder } from '../../shared/records/log.ts'

/** Who keeps a nudge ahead of itself, and what whoever gets one sees. */
export interface WatchdogDeps {
  readonly leases: Pick<LeasesPort, 'list'>
  readonly nudges: NudgesPort
  readonly clock: ClockPort
}

/** How the holder of a deployment stands now. */
export function seenHolderOf(holder: Holder, leases: readonly Lease[]): ObservedHolder {
  const lease = leases.find(({ executor }) => executor === generatorLeaseIdOf(holder))
  // Those of which nothing is said are looked at by who takes over.
  const living = leases
    .filter(({ executor, retired }) => !retired && !isGeneratorLease(executor))
    .slice(0, limits.seenExecutorsMax)
  return {
    life: holder.started,
    renewals: lease?.counter ?? -1,
    executors: Object.fromEntries(living.map(({ executor, counter }) => [executor, counter])),
  }
}

/**
 * Whether the holder of a deployment is gone: it has left, or it stands as it stood when a nudge
 * was sent, a lease and its margin ago. It renews four times in a lease, and gives up by itself
 * before that is over. Pure. Source: docs/decisions/0015-a-nudge-says-how-the-holder-stood.md.
 */
export function isHolderGone(
  { holder, handedOver }: Control,
  leases: readonly Lease[],
  seen: ObservedHolder | undefined,
): boolean {
  if (handedOver !== undefined) return true
  const lease = leases.find(({ executor }) => executor === generatorLeaseIdOf(holder))
  if (lease?.retired === true) return true
  const now = seenHolderOf(holder, leases)
  return seen !== undefined && seen.life === now.life && seen.renewals === now.renewals
}

/** Sends the nudge by which a deployment is looked at if its holder does nothing until then. */
export async function armWatchdog(
  { nudges }: Pick<WatchdogDeps, 'nudges'>,
  deployment: DeploymentId,
  seen: ObservedHolder,
): Promise<void> {
  await nudges.nudge(deploymentPartsOf(deployment).stack, limits.deadManNudgeMs, { seen })
}

/**
 * Keeps such a nudge ahead of a holder that lives, one each half of its delay; answers what ends
 * that. One that could not be sent is made good by the next.
 */
export function keepWatchdogArmed(
  deps: WatchdogDeps,
  deployment: DeploymentId,
  holder: Holder,
): () => void {
  const arm = async (): Promise<void> => {
    try {
      await armWatchdog(deps, deployment, seenHolderOf(holder, await deps.leases.list(deployment)))
    } catch {
      // The one before it is still on its way.
    }
  }
  return deps.clock.repeat(limits.deadManNudgeMs / 2, () => void arm())
}
