import { limits } from '../../../config/limits.ts'
import type { HintsPort } from '../../../ports/queue.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { Head, Outcome } from '../../../records/head.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'

/** A head with its selected outcome. */
export interface RecordedEnd {
  readonly head: Head
  readonly outcome?: Outcome
}

/**
 * A watcher of the ends of operations. Hints trigger a read of the heads, which are authoritative
 * (I4).
 */
export interface EndWatcher {
  /**
   * Resolves when the operation has ended. Does not resolve while it has no end, for example after
   * a give-back. Only one wait per operation may be pending. A failed read rejects all waits.
   */
  readonly wait: (id: OperationId) => Promise<RecordedEnd>
  /**
   * Settles all waits. Call it after a stop, when no operation is running. A wait for an ended
   * operation resolves. All other waits, now and later, are rejected with `thrown`.
   */
  readonly settleWaits: (thrown: unknown) => Promise<void>
  /** Returns the operations whose ends are awaited. */
  readonly awaitedIds: () => readonly OperationId[]
  /** Stops watching. Pending waits are never settled. */
  readonly close: () => void
}

/**
 * Pauses between reads of an awaited head without a hint, in ms. Each pause is twice as long as the
 * previous one, up to the longest. Slow operations are thus read rarely, and an end without a hint
 * is noticed with a delay that is small compared to the operation.
 */
export const headReadPauses = { firstPauseMs: 2_000, longestPauseMs: 16_000 } as const

/** A pending wait for the end of one operation. */
interface Wait {
  /** Time of the next read, by the monotonic clock. */
  nextReadMs: number
  /** The pause before the next read. The pause after it is twice as long. */
  pauseMs: number
  readonly onEnd: (end: RecordedEnd) => void
  readonly onFailed: (thrown: unknown) => void
}

/** Creates an empty set of pending waits. */
function createWaits() {
  const waits = new Map<OperationId, Wait>()
  return {
    add: (id: OperationId, wait: Wait) => void waits.set(id, wait),
    has: (id: OperationId) => waits.has(id),
    /**
     * Returns the operations whose heads are due for a read, and schedules the next read of each.
     */
    takeDue: (nowMs: number): readonly OperationId[] =>
      [...waits].flatMap(([id, wait]) => {
        if (nowMs < wait.nextReadMs) return []
        wait.pauseMs = Math.min(wait.pauseMs * 2, headReadPauses.longestPauseMs)
        wait.nextReadMs = nowMs + wait.pauseMs
        return [id]
      }),
    keys: () => waits.keys(),
    resolve(id: OperationId, end: RecordedEnd): void {
      waits.get(id)?.onEnd(end)
      waits.delete(id)
    },
    rejectAll(thrown: unknown): void {
      for (const wait of waits.values()) wait.onFailed(thrown)
      waits.clear()
    },
  }
}

/** The dependencies of a watcher. */
interface EndWatcherDeps {
  readonly operations: Pick<OperationsPort, 'getEnds'>
  readonly hints: HintsPort
  readonly clock: ClockPort
}

/**
 * Creates the watcher of one deployment. A failed read rejects every wait, because the port has
 * already retried the read.
 */
export function createEndWatcher(deps: EndWatcherDeps, deployment: DeploymentId): EndWatcher {
  let settlement: { readonly thrown: unknown } | undefined
  const waits = createWaits()
  let dueIds = new Set<OperationId>()
  let isReading = false
  const readDue = async (): Promise<void> => {
    while (dueIds.size > 0) {
      const ids = [...dueIds].filter(id => waits.has(id)).slice(0, limits.idsPerReadMax)
      if (ids.length === 0) {
        dueIds = new Set()
        break
      }
      for (const id of ids) dueIds.delete(id)
      for (const [id, end] of await deps.operations.getEnds(deployment, ids)) {
        if (end.head.end !== undefined) waits.resolve(id, end)
      }
    }
  }
  const scheduleRead = (): void => {
    if (isReading) return
    isReading = true
    deps.clock.defer(() => {
      readDue()
        .catch(thrown => waits.rejectAll(thrown))
        .finally(() => {
          isReading = false
          if (dueIds.size > 0) scheduleRead()
        })
    })
  }
  const settleAll = async (thrown: unknown): Promise<void> => {
    for (const id of waits.keys()) dueIds.add(id)
    // After a failed read, the waits are rejected like those without an end.
    await readDue().catch(() => undefined)
    waits.rejectAll(thrown)
  }
  const stopListening = deps.hints.listen(deployment, id => {
    if (!waits.has(id)) return
    dueIds.add(id)
    scheduleRead()
  })
  const stopPolling = deps.clock.repeat(headReadPauses.firstPauseMs, () => {
    for (const id of waits.takeDue(deps.clock.monotonicMs())) dueIds.add(id)
    if (dueIds.size > 0) scheduleRead()
  })
  return {
    wait: id =>
      new Promise((onEnd, onFailed) => {
        const { firstPauseMs: pauseMs } = headReadPauses
        // Half a pause of tolerance, so that a poll that comes slightly early still reads the head.
        const nextReadMs = deps.clock.monotonicMs() + pauseMs / 2
        waits.add(id, { onEnd, onFailed, nextReadMs, pauseMs: pauseMs / 2 })
        dueIds.add(id)
        // After `settleWaits` no operation is running, so operations without an end never get one.
        if (settlement !== undefined) void settleAll(settlement.thrown)
      }),
    awaitedIds: () => [...waits.keys()],
    settleWaits(thrown) {
      settlement = { thrown }
      return settleAll(thrown)
    },
    close() {
      stopListening()
      stopPolling()
    },
  }
}
