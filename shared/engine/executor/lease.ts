import { limits } from '../../config/limits.ts'
import type { LeasesPort } from '../../ports/records.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { ProcessGroup } from '../../records/head.ts'
import type { DeploymentId, ExecutorId } from '../../records/ids.ts'
import type { Holder } from '../../records/log.ts'

/** A lease that this process registered and renews. */
export interface RenewedLease {
  /**
   * Reports whether the lease was renewed so recently that no other process can have recovered
   * operations of this executor. Called directly before each provider call.
   */
  readonly holdsLease: () => boolean
  /**
   * Writes the running process groups to the lease record. A take-over can then end them, and a
   * removal of old records can check them. Writes nothing when the record already contains them.
   * Called before each provider call. If the write fails with an error, the next renewal writes
   * them.
   */
  readonly recordGroups: () => Promise<void>
  /** Retires the identity for good. No operation may run under this identity any more. */
  readonly end: () => Promise<void>
}

/**
 * The dependencies of keeping a lease. `groups`: returns the running process groups of plugins.
 * `onLost` is called at most once: when the lease was not renewed in time, or the store refused a
 * renewal.
 */
export interface LeaseDeps {
  readonly leases: LeasesPort
  readonly clock: ClockPort
  readonly groups: () => readonly ProcessGroup[]
  readonly onLost: () => void
}

/**
 * Registers a lease and renews it until `end` is called. After `leaseGiveUpMs` without a renewal,
 * the lease is given up, and `onLost` ends the plugins. Other processes recover the operations of
 * the executor only later.
 */
export async function keepLease(
  deps: LeaseDeps,
  identity: {
    readonly deployment: DeploymentId
    readonly executor: ExecutorId
    readonly holder: Holder
  },
): Promise<RenewedLease> {
  const { leases, clock } = deps
  const { deployment, executor } = identity
  let renewedMs = clock.monotonicMs()
  let isLost = false
  let stopRenewing = (): void => undefined
  let recordedGroups = formatGroups([])
  let lastWrite = Promise.resolve()
  const measureSinceRenewalMs = (): number => clock.monotonicMs() - renewedMs
  const loseLease = (): void => {
    if (isLost) return
    isLost = true
    stopRenewing()
    deps.onLost()
  }
  const writeRenewal = async (): Promise<void> => {
    // The store counts the lease time from its write. A count from the earlier `startedMs` never
    // ends later than that of the store.
    const startedMs = clock.monotonicMs()
    const groups = deps.groups()
    // A renewal that fails with an error is repeated at the next interval.
    const isRenewed = await leases.renew(deployment, executor, groups).catch(() => undefined)
    if (isRenewed === false || measureSinceRenewalMs() > limits.leaseGiveUpMs) return loseLease()
    if (isRenewed !== true || isLost) return
    renewedMs = startedMs
    recordedGroups = formatGroups(groups)
  }
  /**
   * Renews the lease after all earlier renewals have ended, which could otherwise overwrite newer
   * process groups. Writes nothing if the renewal is no longer needed then.
   */
  const renew = async (isNeeded = (): boolean => true): Promise<void> => {
    // Other processes may have recovered operations meanwhile, so a lease that missed its time is
    // never renewed.
    if (measureSinceRenewalMs() > limits.leaseGiveUpMs) return loseLease()
    lastWrite = lastWrite.then(() => (isLost || !isNeeded() ? undefined : writeRenewal()))
    await lastWrite
  }
  const hasNewGroups = (): boolean => formatGroups(deps.groups()) !== recordedGroups
  await leases.register(deployment, executor, identity.holder)
  // If this process dies now, a take-over must find the running process groups.
  if (deps.groups().length > 0) await renew()
  stopRenewing = clock.repeat(limits.leaseRenewMs, () => void renew())
  return {
    async recordGroups() {
      if (hasNewGroups()) await renew(hasNewGroups)
    },
    holdsLease: () => !isLost && measureSinceRenewalMs() <= limits.leaseGiveUpMs,
    async end() {
      isLost = true
      stopRenewing()
      // If this write fails, other processes retire the lease after the lease time.
      await leases.leave(deployment, executor).catch(() => undefined)
    },
  }
}

function formatGroups(groups: readonly ProcessGroup[]): string {
  return groups.map(({ pid, started }) => `${pid} ${started}`).join()
}
