import { limits } from '../../config/limits.ts'
import type { LeasesPort } from '../../ports/records.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { ProcessGroup } from '../../records/head.ts'
import type { DeploymentId, ExecutorId } from '../../records/ids.ts'
import type { Holder } from '../../records/log.ts'

/** The claim of one executor identity on what it has begun. */
export interface LeaseKeeper {
  /**
   * Whether the lease was renewed recently enough that nobody can have taken its operations away:
   * asked right before each provider call.
   */
  readonly holds: () => boolean
  /**
   * Has the record name the process groups that run now, so that who takes over can end them and
   * nobody forgets what they may still do; at once when it names them already. Asked before each
   * provider call. A store that refuses leaves it to the next renewal.
   */
  readonly recordGroups: () => Promise<void>
  /** Retires the identity, under which nothing runs any more: it never comes back. */
  readonly end: () => Promise<void>
}

/** What keeping a lease needs. `lost` is called once, when it could not be renewed in time. */
export interface LeaseDeps {
  readonly leases: LeasesPort
  readonly clock: ClockPort
  readonly groups: () => readonly ProcessGroup[]
  readonly onLost: () => void
}

/**
 * Registers an executor and renews its lease until it is ended. Whoever cannot renew for two thirds
 * of the lease gives up by itself, before others may act: `lost` ends its plugins.
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
    // Others may have acted meanwhile: whoever missed its time never comes back.
    if (sinceRenewalMs() > limits.leaseGiveUpMs) return loseLease()
    // The store counts from when it wrote, which is after this.
    const startedMs = clock.monotonicMs()
    const groups = deps.groups()
    const isMine = await leases.renew(deployment, executor, groups).catch(() => undefined)
    if (isMine === false || sinceRenewalMs() > limits.leaseGiveUpMs) return loseLease()
    if (isMine !== true || isLost) return
    renewedMs = startedMs
    named = groupNamesOf(groups)
  }
  await leases.register(deployment, executor, identity.holder)
  // What runs already must be found by who takes over from a process that dies right now.
  if (deps.groups().length > 0) await renew()
  stopRenewing = clock.repeat(limits.leaseRenewMs, () => void renew())
  return {
    async recordGroups() {
      // One that is under way may have been asked before the last group began.
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
