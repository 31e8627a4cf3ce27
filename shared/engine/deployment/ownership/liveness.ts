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
  readonly endGroup: (group: ProcessGroup) => void
  /**
   * The counters of executors one lease and margin ago. An executor with an unchanged counter is
   * gone. Absent: there was no earlier check.
   */
  readonly stood?: Readonly<Record<ExecutorId, number>>
}

/** The executors of a deployment that are gone. None of them ever returns. */
export interface Liveness {
  /** Reads the leases and retires every dead executor. Returns all executors that are gone. */
  readonly observe: () => Promise<ReadonlySet<ExecutorId>>
  /**
   * Checks until the status of every executor of the first check is known: its counter moves within
   * a renewal, or it is gone. A living process proves nothing, because it may have given up its
   * identity while the store was unavailable. Returns all executors that are gone.
   */
  readonly observeUntilKnown: () => Promise<ReadonlySet<ExecutorId>>
  /**
   * Retires executors regardless of their status. From the next check on they are gone, and a
   * living one loses its lease.
   */
  readonly retire: (executors: Iterable<ExecutorId>) => Promise<void>
  /**
   * Reports whether a lease renewal was overdue at the last check, so that its executor may soon be
   * gone.
   */
  readonly isOverdue: () => boolean
}

interface Observation {
  readonly leases: readonly Lease[]
  readonly gone: ReadonlySet<ExecutorId>
}

interface SeenCounter {
  readonly counter: number
  readonly atMs: number
}

/**
 * Observes the executors of one deployment. An executor of this host is gone when its process has
 * ended. Any executor is gone when its counter is unchanged for a lease and the margin on this
 * observer's monotonic clock. Wall clocks are never compared. An executor that is gone is retired,
 * after the remaining processes of a dead one on this host were ended. Source:
 * docs/architecture.md#take-over.
 */
export function createLiveness(deps: LivenessDeps, deployment: DeploymentId): Liveness {
  const seen = new Map<ExecutorId, SeenCounter>()
  const open = new Set<ExecutorId>()
  for (const [executor, counter] of Object.entries(deps.stood ?? {}))
    seen.set(executor as ExecutorId, { counter, atMs: -Infinity })
  const hasStalled = ({ executor, counter }: Lease): boolean => {
    const nowMs = deps.clock.monotonicMs()
    const before = seen.get(executor)
    if (before?.counter !== counter) {
      seen.set(executor, { counter, atMs: nowMs })
      return false
    }
    return nowMs - before.atMs > limits.leaseMs + limits.leaseMarginMs
  }
  const observeLeases = async (): Promise<Observation> => {
    const leases = await deps.leases.list(deployment)
    const gone = new Set<ExecutorId>()
    open.clear()
    for (const lease of leases) {
      const isDead = deps.isAlive(lease.holder) === false
      if (!lease.retired && !isDead && !hasStalled(lease)) {
        if (!isGeneratorLease(lease.executor)) open.add(lease.executor)
        continue
      }
      if (isDead) for (const group of lease.groups) deps.endGroup(group)
      if (!lease.retired) await deps.leases.retire(deployment, lease.executor)
      gone.add(lease.executor)
    }
    return { leases, gone }
  }
  return {
    observe: async () => (await observeLeases()).gone,
    async observeUntilKnown() {
      const { leases, gone: atFirst } = await observeLeases()
      const first = leases.filter(({ executor }) => !isGeneratorLease(executor))
      const moved = new Set<ExecutorId>()
      for (let gone = atFirst; ; ) {
        if (first.every(({ executor }) => gone.has(executor) || moved.has(executor))) return gone
        await deps.clock.sleep(limits.lookMs)
        const now = await observeLeases()
        gone = now.gone
        for (const { executor, counter } of first)
          if (now.leases.find(lease => lease.executor === executor)?.counter !== counter)
            moved.add(executor)
      }
    },
    async retire(executors) {
      for (const executor of executors) await deps.leases.retire(deployment, executor)
    },
    isOverdue() {
      const sinceMs = deps.clock.monotonicMs() - limits.leaseRenewMs - 2 * limits.lookMs
      return [...open].some(executor => (seen.get(executor)?.atMs ?? Infinity) < sinceMs)
    },
  }
}
