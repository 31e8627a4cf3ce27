import { limits } from '../../../config/limits.ts'
import { isGeneratorLease } from './generator-lease.ts'
import type { LeasesPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { Lease, ProcessGroup } from '../../../records/head.ts'
import type { DeploymentId, ExecutorId } from '../../../records/ids.ts'
import type { Holder } from '../../../records/log.ts'

/** What telling the living from the dead asks of the outside. */
export interface LivenessDeps {
  readonly leases: LeasesPort
  readonly clock: ClockPort
  readonly holder: Holder
  /** Whether a process of this host still lives; undefined for one of another host. */
  readonly isAlive: (process: Pick<Holder, 'host' | 'pid' | 'started'>) => boolean | undefined
  /** Ends a process group of this host that its parent left behind. */
  readonly endGroup: (group: ProcessGroup) => void
  /**
   * The counters of executors as they stood a lease and its margin ago: one that stands so still is
   * gone. Absent: nobody has looked before.
   */
  readonly stood?: Readonly<Record<ExecutorId, number>>
}

/** Which executors of a deployment are gone; none of them ever comes back. */
export interface Liveness {
  /** Reads the leases and retires whoever is found dead. Answers all that are gone. */
  readonly observe: () => Promise<ReadonlySet<ExecutorId>>
  /**
   * Looks until it is known of every executor that there is at first whether it lives: its counter
   * moves within a renewal, or it is found gone. That its process lives says nothing: that may have
   * given the identity up while the store could not be told. Answers all that are gone.
   */
  readonly observeUntilKnown: () => Promise<ReadonlySet<ExecutorId>>
  /**
   * Retires executors that nobody waits for any more, dead or not: from the next look on they are
   * gone, and one that lives loses its lease.
   */
  readonly retire: (executors: Iterable<ExecutorId>) => Promise<void>
  /** Whether a renewal of an executor is overdue, by the last look: it may be found gone soon. */
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
 * Observes the executors of one deployment. One of this host is gone when its process is; any other
 * when its counter has stood still for a whole lease and the margin, on this observer's own
 * monotonic clock: two wall clocks are never compared. Whoever is gone is retired, and what its
 * processes left running on this host is ended first. Source: docs/architecture.md#take-over.
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
