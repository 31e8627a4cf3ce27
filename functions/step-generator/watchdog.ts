import { limits } from '../../shared/config/limits.ts'
import type { LeasesPort } from '../../shared/ports/records.ts'
import type { NudgesPort, ObservedHolder } from '../../shared/ports/queue.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { Control, Lease } from '../../shared/records/head.ts'
import {
  isGeneratorLease,
  generatorLeaseIdOf,
} from '../../shared/engine/deployment/ownership/generator-lease-id.ts'
import { type DeploymentId, deploymentPartsOf } from '../../shared/records/ids.ts'
import type { Holder } from '../../shared/records/log.ts'

/** The dependencies of the watchdog: sending nudges, and checking a holder when one arrives. */
export interface WatchdogDeps {
  readonly leases: Pick<LeasesPort, 'list'>
  readonly nudges: NudgesPort
  readonly clock: ClockPort
}

/** Returns the current observation of a deployment's holder. */
export function seenHolderOf(holder: Holder, leases: readonly Lease[]): ObservedHolder {
  const lease = leases.find(({ executor }) => executor === generatorLeaseIdOf(holder))
  // Executors without a counter here are observed by the take-over itself.
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
 * Reports whether the holder of a deployment is gone. It has handed over, or its state is unchanged
 * since a nudge was sent a lease and its margin ago. A holder renews four times per lease, and
 * gives up by itself before the lease expires. Pure. Source:
 * docs/decisions/0015-a-nudge-says-how-the-holder-stood.md.
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

/** Sends the nudge that has a deployment checked if its holder makes no progress until then. */
export async function armWatchdog(
  { nudges }: Pick<WatchdogDeps, 'nudges'>,
  deployment: DeploymentId,
  seen: ObservedHolder,
): Promise<void> {
  await nudges.nudge(deploymentPartsOf(deployment).stack, limits.watchdogNudgeMs, { seen })
}

/**
 * Keeps a watchdog nudge scheduled for a living holder, one per half of its delay. Returns the
 * function that stops it. The next nudge makes up for one that could not be sent.
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
      // The previous nudge is still scheduled.
    }
  }
  return deps.clock.repeat(limits.watchdogNudgeMs / 2, () => void arm())
}
