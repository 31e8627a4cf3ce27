import { limits } from '../../../config/limits.ts'
import { isGeneratorLease } from './generator-lease-id.ts'
import type { LeasesPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { Lease, ProcessGroup } from '../../../records/head.ts'
import type { DeploymentId, ExecutorId } from '../../../records/ids.ts'
import type { Holder } from '../../../records/log.ts'

/** The dependencies of checking which executors are alive. */
export interface LivenessDeps {
  readonly leases: LeasesPort
  readonly clock: ClockPort
  readonly holder: Holder
  /** Reports whether a process of this host is alive. Undefined for a process of another host. */
  readonly isAlive: (process: Pick<Holder, 'host' | 'pid' | 'started'>) => boolean | undefined
  /** Ends a process group of this host whose parent has died. */
  readonly endProcessGroup: (group: ProcessGroup) => void
  /**
   * The lease counters of the executors, from a read that is older than the lease time plus the
   * margin. An executor whose counter has not changed since then is gone. Absent: there was no
   * earlier read.
   */
  readonly previousCounters?: Readonly<Record<ExecutorId, number>>
}

/**
 * A check of the executors of a deployment. An executor that is gone never returns. The results
 * also contain the lease ids of generators that are gone.
 */
export interface Liveness {
  /** Reads the leases and retires every dead executor. Returns all executors that are gone. */
  readonly observe: () => Promise<ReadonlySet<ExecutorId>>
  /**
   * Checks until the status of every executor of the first check is known: its counter has changed,
   * or the executor is gone. A living process proves nothing, because it may have given up its
   * identity while the store was unavailable. Returns all executors that are gone.
   */
  readonly observeUntilKnown: () => Promise<ReadonlySet<ExecutorId>>
  /**
   * Retires executors regardless of their status. Each later check reports them as gone. An
   * executor that is still alive loses its lease.
   */
  readonly retire: (executors: Iterable<ExecutorId>) => Promise<void>
  /**
   * Reports whether an executor that the last check found alive is late with its renewal, and may
   * soon be gone.
   */
  readonly isRenewalOverdue: () => boolean
}

/** The result of one check. */
interface Observation {
  readonly leases: readonly Lease[]
  readonly goneExecutors: ReadonlySet<ExecutorId>
}

/** The last new value of a lease counter, and the time of the check that found it. */
interface CounterReading {
  readonly counter: number
  readonly readAtMs: number
}

/**
 * Creates the check of the executors of one deployment. An executor of this host is gone when its
 * process has ended. Any executor is gone when its counter is unchanged for the lease time and the
 * margin, by the monotonic clock of this observer. Wall clocks are never compared. Executors that
 * are gone are retired. Before that, the remaining process groups of a dead executor on this host
 * are ended. Source: docs/architecture.md#take-over.
 */
export function createLiveness(deps: LivenessDeps, deployment: DeploymentId): Liveness {
  const counterReadings = new Map<ExecutorId, CounterReading>()
  const livingExecutors = new Set<ExecutorId>()
  for (const [executor, counter] of Object.entries(deps.previousCounters ?? {}))
    counterReadings.set(executor as ExecutorId, { counter, readAtMs: -Infinity })
  /** Reports whether a counter is unchanged for too long, and remembers a new value. */
  const hasStalled = ({ executor, counter }: Lease): boolean => {
    const nowMs = deps.clock.monotonicMs()
    const lastReading = counterReadings.get(executor)
    if (lastReading?.counter !== counter) {
      counterReadings.set(executor, { counter, readAtMs: nowMs })
      return false
    }
    return nowMs - lastReading.readAtMs > limits.leaseMs + limits.leaseMarginMs
  }
  const observeLeases = async (): Promise<Observation> => {
    const leases = await deps.leases.list(deployment)
    const goneExecutors = new Set<ExecutorId>()
    livingExecutors.clear()
    for (const lease of leases) {
      const isDead = deps.isAlive(lease.holder) === false
      if (!lease.retired && !isDead && !hasStalled(lease)) {
        if (!isGeneratorLease(lease.executor)) livingExecutors.add(lease.executor)
        continue
      }
      if (isDead) for (const group of lease.groups) deps.endProcessGroup(group)
      if (!lease.retired) await deps.leases.retire(deployment, lease.executor)
      goneExecutors.add(lease.executor)
    }
    return { leases, goneExecutors }
  }
  return {
    observe: async () => (await observeLeases()).goneExecutors,
    async observeUntilKnown() {
      const { leases, goneExecutors: initiallyGone } = await observeLeases()
      const firstLeases = leases.filter(({ executor }) => !isGeneratorLease(executor))
      const renewedExecutors = new Set<ExecutorId>()
      for (let goneExecutors = initiallyGone; ; ) {
        if (
          firstLeases.every(
            ({ executor }) => goneExecutors.has(executor) || renewedExecutors.has(executor),
          )
        )
          return goneExecutors
        await deps.clock.sleep(limits.livenessCheckMs)
        const observation = await observeLeases()
        goneExecutors = observation.goneExecutors
        for (const { executor, counter } of firstLeases)
          if (observation.leases.find(lease => lease.executor === executor)?.counter !== counter)
            renewedExecutors.add(executor)
      }
    },
    async retire(executors) {
      for (const executor of executors) await deps.leases.retire(deployment, executor)
    },
    isRenewalOverdue() {
      // A check finds a renewal up to one interval late. The second interval is tolerance.
      const overdueBeforeMs =
        deps.clock.monotonicMs() - limits.leaseRenewMs - 2 * limits.livenessCheckMs
      return [...livingExecutors].some(
        executor => (counterReadings.get(executor)?.readAtMs ?? Infinity) < overdueBeforeMs,
      )
    },
  }
}
