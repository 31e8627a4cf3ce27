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

/** Functions that are called when watched operations end, and when a wait for one is rejected. */
export interface EndListener {
  readonly onEnd: (id: OperationId, end: RecordedEnd) => void
  readonly onFailed: (thrown: unknown) => void
}

/**
 * A watcher of the ends of operations. Hints trigger a read of the heads, which are authoritative
 * (I4).
 */
export interface EndWatcher {
  /**
   * Resolves when the operation has ended. Does not resolve while it has no end, for example after
   * a give-back. A failed read rejects all waits.
   */
  readonly wait: (id: OperationId) => Promise<RecordedEnd>
  /**
   * Reports the end of each operation to one listener. Many operations thus need far less memory
   * than with a promise for each. Otherwise like `wait`.
   */
  readonly watch: (ids: readonly OperationId[], listener: EndListener) => void
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

/** Waits for the end of one operation through `watch`. */
export function waitForEndBy(watch: EndWatcher['watch'], id: OperationId): Promise<RecordedEnd> {
  return new Promise((resolve, reject) =>
    watch([id], { onEnd: (_id, end) => resolve(end), onFailed: reject }),
  )
}

/** A pending wait for the end of one operation. */
interface Wait {
  /** Time of the next read, by the monotonic clock. */
  nextReadMs: number
  /** The pause before the next read. The pause after it is twice as long. */
  pauseMs: number
  readonly listener: EndListener
}

function joinListeners(first: EndListener, second: EndListener): EndListener {
  return {
    onEnd(id, end) {
      first.onEnd(id, end)
      second.onEnd(id, end)
    },
    onFailed(thrown) {
      first.onFailed(thrown)
      second.onFailed(thrown)
    },
  }
}

/** Creates an empty set of pending waits. A wait is due when its head must be read. */
function createWaits() {
  const waits = new Map<OperationId, Wait>()
  const dueIds = new Set<OperationId>()
  return {
    /** Adds a wait that is due. The listeners of an earlier wait for the operation remain. */
    add(id: OperationId, wait: Wait): void {
      const earlierWait = waits.get(id)
      const listener =
        earlierWait === undefined
          ? wait.listener
          : joinListeners(earlierWait.listener, wait.listener)
      waits.set(id, { ...wait, listener })
      dueIds.add(id)
    },
    /** Makes a wait due. Returns false if there is none for the operation. */
    markDue(id: OperationId): boolean {
      if (!waits.has(id)) return false
      dueIds.add(id)
      return true
    },
    /** Makes each wait due if its pause is over at `nowMs`, and begins its next pause. */
    markDueAt(nowMs: number): void {
      for (const [id, wait] of waits) {
        if (nowMs < wait.nextReadMs) continue
        wait.pauseMs = Math.min(wait.pauseMs * 2, headReadPauses.longestPauseMs)
        wait.nextReadMs = nowMs + wait.pauseMs
        dueIds.add(id)
      }
    },
    markAllDue(): void {
      for (const id of waits.keys()) dueIds.add(id)
    },
    areDue: () => dueIds.size > 0,
    /** Removes and returns due operations, as many as one read may contain. */
    takeDue(): readonly OperationId[] {
      const ids: OperationId[] = []
      for (const id of dueIds) {
        if (ids.length === limits.idsPerReadMax) break
        dueIds.delete(id)
        if (waits.has(id)) ids.push(id)
      }
      return ids
    },
    keys: () => waits.keys(),
    resolve(id: OperationId, end: RecordedEnd): void {
      const wait = waits.get(id)
      waits.delete(id)
      wait?.listener.onEnd(id, end)
    },
    rejectAll(thrown: unknown): void {
      const rejectedWaits = [...waits.values()]
      waits.clear()
      for (const { listener } of rejectedWaits) listener.onFailed(thrown)
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
  let isReading = false
  const readDue = async (): Promise<void> => {
    for (let ids = waits.takeDue(); ids.length > 0; ids = waits.takeDue())
      for (const [id, end] of await deps.operations.getEnds(deployment, ids))
        if (end.head.end !== undefined) waits.resolve(id, end)
  }
  const scheduleRead = (): void => {
    if (isReading) return
    isReading = true
    deps.clock.defer(() => {
      readDue()
        .catch(thrown => waits.rejectAll(thrown))
        .finally(() => {
          isReading = false
          if (waits.areDue()) scheduleRead()
        })
    })
  }
  const settleAll = async (thrown: unknown): Promise<void> => {
    waits.markAllDue()
    // If the read fails, all waits are rejected, as if no operation had ended.
    await readDue().catch(() => undefined)
    waits.rejectAll(thrown)
  }
  const stopListening = deps.hints.listen(deployment, id => {
    if (waits.markDue(id)) scheduleRead()
  })
  const stopPolling = deps.clock.repeat(headReadPauses.firstPauseMs, () => {
    waits.markDueAt(deps.clock.monotonicMs())
    if (waits.areDue()) scheduleRead()
  })
  const watch = (ids: readonly OperationId[], listener: EndListener): void => {
    const { firstPauseMs: pauseMs } = headReadPauses
    // Half a pause of tolerance, so that a poll that comes slightly early still reads the head.
    const nextReadMs = deps.clock.monotonicMs() + pauseMs / 2
    for (const id of ids) waits.add(id, { listener, nextReadMs, pauseMs: pauseMs / 2 })
    // After `settleWaits` no operation is running, so operations without an end never get one.
    if (settlement !== undefined) void settleAll(settlement.thrown)
  }
  return {
    wait: id => waitForEndBy(watch, id),
    watch,
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
