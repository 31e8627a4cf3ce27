import { limits } from '../../config/limits.ts'
import type { LeasesPort } from '../../ports/records.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { ProcessGroup } from '../../records/head.ts'
import type { DeploymentId, ExecutorId } from '../../records/ids.ts'
import type { Holder } from '../../records/log.ts'

/** The lease of one executor identity on its begun operations. */
export interface LeaseKeeper {
  /**
   * Reports whether the lease was renewed recently enough that no other process can have recovered
   * its operations. It is checked directly before each provider call.
   */
  readonly holds: () => boolean
  /**
   * Writes the running process groups to the lease record, so that a take-over can end them and a
   * removal knows of them. Resolves at once when the record contains them already. Called before
   * each provider call. If the store refuses, the next renewal writes them.
   */
  readonly recordGroups: () => Promise<void>
  /** Retires the identity for good. Nothing may run under it any more. */
  readonly end: () => Promise<void>
}

/**
 * The dependencies of keeping a lease. `onLost` is called once, when the lease could not be renewed
 * in time.
 */
export interface LeaseDeps {
  readonly leases: LeasesPort
  readonly clock: ClockPort
  readonly groups: () => readonly ProcessGroup[]
  readonly onLost: () => void
}

/**
 * Registers an executor and renews its lease until it is ended. After two thirds of the lease
 * without a renewal, the executor gives up by itself, before others may act. `onLost` then ends its
 * plugins.
 */
export async function keepLease(
  deps: LeaseDeps,
  identity: {
    readonly deployment: DeploymentId
    readonly executor: ExecutorId
    readonly holder: Holder
  },
): Promise<LeaseKeeper> {
  const { leases, clock } = deps
  const { deployment, executor } = identity
  let renewedMs = clock.monotonicMs()
  let isLost = false
  let stopRenewing = (): void => undefined
  let named = groupNamesOf([])
  let naming: Promise<void> | undefined
  const sinceRenewalMs = (): number => clock.monotonicMs() - renewedMs
  const loseLease = (): void => {
    if (isLost) return
    isLost = true
    stopRenewing()
    deps.onLost()
  }
  const renew = async (): Promise<void> => {
    // Others may have acted meanwhile, so a lease that missed its time is never renewed.
    if (sinceRenewalMs() > limits.leaseGiveUpMs) return loseLease()
    // The store counts from its write, which comes after this time.
    const startedMs = clock.monotonicMs()
    const groups = deps.groups()
    const isMine = await leases.renew(deployment, executor, groups).catch(() => undefined)
    if (isMine === false || sinceRenewalMs() > limits.leaseGiveUpMs) return loseLease()
    if (isMine !== true || isLost) return
    renewedMs = startedMs
    named = groupNamesOf(groups)
  }
  await leases.register(deployment, executor, identity.holder)
  // If this process dies now, a take-over must find the running process groups.
  if (deps.groups().length > 0) await renew()
  stopRenewing = clock.repeat(limits.leaseRenewMs, () => void renew())
  return {
    async recordGroups() {
      // A renewal in progress may have read the groups before the last one began.
      await naming
      if (isLost || groupNamesOf(deps.groups()) === named) return
      naming ??= renew().finally(() => {
        naming = undefined
      })
      await naming
    },
    holds: () => !isLost && sinceRenewalMs() <= limits.leaseGiveUpMs,
    async end() {
      isLost = true
      stopRenewing()
      await leases.leave(deployment, executor).catch(() => undefined)
    },
  }
}

function groupNamesOf(groups: readonly ProcessGroup[]): string {
  return groups.map(({ pid, started }) => `${pid} ${started}`).join()
}
