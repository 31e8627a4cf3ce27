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

/** The dependencies of sending watchdog nudges. */
export interface WatchdogDeps {
  readonly leases: Pick<LeasesPort, 'list'>
  readonly nudges: NudgesPort
  readonly clock: ClockPort
}

/** Returns the current observation of a deployment's holder. */
export function observedHolderOf(holder: Holder, leases: readonly Lease[]): ObservedHolder {
  const lease = leases.find(({ executor }) => executor === generatorLeaseIdOf(holder))
  // The take-over itself observes executors whose counter is not in the nudge.
  const livingLeases = leases
    .filter(({ executor, retired }) => !retired && !isGeneratorLease(executor))
    .slice(0, limits.watchdogExecutorsMax)
  return {
    life: holder.started,
    renewals: lease?.counter ?? -1,
    executors: Object.fromEntries(livingLeases.map(({ executor, counter }) => [executor, counter])),
  }
}

/**
 * Reports whether the holder of a deployment is gone. A holder is gone when it has handed over, has
 * retired its lease, or has not renewed its lease since the nudge was sent. The delay of a nudge is
 * the duration of a lease plus its margin. A living holder renews its lease four times in the
 * duration of a lease, and stops its work before the lease expires. Pure. Source:
 * docs/decisions/0015-a-nudge-carries-the-state-of-the-holder.md.
 */
export function isHolderGone(
  { holder, handedOver }: Control,
  leases: readonly Lease[],
  observedHolder: ObservedHolder | undefined,
): boolean {
  if (handedOver !== undefined) return true
  const lease = leases.find(({ executor }) => executor === generatorLeaseIdOf(holder))
  if (lease?.retired === true) return true
  const currentHolder = observedHolderOf(holder, leases)
  return (
    observedHolder !== undefined &&
    observedHolder.life === currentHolder.life &&
    observedHolder.renewals === currentHolder.renewals
  )
}

/**
 * Sends a delayed nudge with an observation of the holder. The receiver of the nudge continues the
 * deployment if the holder has not renewed its lease since.
 */
export async function armWatchdog(
  { nudges }: Pick<WatchdogDeps, 'nudges'>,
  deployment: DeploymentId,
  observedHolder: ObservedHolder,
): Promise<void> {
  await nudges.nudge(deploymentPartsOf(deployment).stack, limits.watchdogNudgeMs, {
    observedHolder,
  })
}

/**
 * Keeps a watchdog nudge scheduled for a living holder: sends one at intervals of half the delay.
 * Returns the function that stops the nudges. A nudge that could not be sent does no harm, because
 * the next nudge follows.
 */
export function keepWatchdogArmed(
  deps: WatchdogDeps,
  deployment: DeploymentId,
  holder: Holder,
): () => void {
  const arm = async (): Promise<void> => {
    try {
      await armWatchdog(
        deps,
        deployment,
        observedHolderOf(holder, await deps.leases.list(deployment)),
      )
    } catch {
      // The previous nudge is still scheduled.
    }
  }
  return deps.clock.repeat(limits.watchdogNudgeMs / 2, () => void arm())
}
