import type { HintsPort } from '../../../ports/queue.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { Head, Outcome } from '../../../records/head.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'

/** What a head and its selected outcome say. */
export interface RecordedEnd {
  readonly head: Head
  readonly outcome?: Outcome
}

/** Waits for ends of operations: hints say when to look, the heads say what is (I4). */
export interface EndWatcher {
  /** Resolves when the operation has ended; never, when it is given back or never begun. */
  readonly wait: (id: OperationId) => Promise<RecordedEnd>
  /**
   * After a stop, when nothing runs any more: answers what has ended, and fails every other wait,
   * also later ones, with `thrown`.
   */
  readonly settle: (thrown: unknown) => Promise<void>
  /** What is awaited now. */
  readonly openWaits: () => readonly OperationId[]
  /** Forgets everything; open waits stay open. */
  readonly close: () => void
}

/**
 * When the head of an awaited operation is read without a hint, in ms: at first after the shortest
 * pause, each later one twice as long, up to the longest: what takes long is looked at seldom, and
 * an end of which no hint came is heard of not much later than it took.
 */
const pauses = { firstMs: 2_000, mostMs: 16_000 } as const
/** Most heads read at once. */
const batchMax = 500

interface Wait {
  /** When its head is read next, by the monotonic clock, and the pause after that. */
  nextReadMs: number
  pauseMs: number
  readonly onEnd: (end: RecordedEnd) => void
  readonly onFailed: (thrown: unknown) => void
}

/** Who waits for what. */
function createWaits() {
  const waits = new Map<OperationId, Wait>()
  return {
    add: (id: OperationId, wait: Wait) => void waits.set(id, wait),
    has: (id: OperationId) => waits.has(id),
    /** Those whose heads are to be read now. */
    due: (nowMs: number): readonly OperationId[] =>
      [...waits].flatMap(([id, wait]) => {
        if (nowMs < wait.nextReadMs) return []
        wait.pauseMs = Math.min(wait.pauseMs * 2, pauses.mostMs)
        wait.nextReadMs = nowMs + wait.pauseMs
        return [id]
      }),
    keys: () => waits.keys(),
    end(id: OperationId, end: RecordedEnd): void {
      waits.get(id)?.onEnd(end)
      waits.delete(id)
    },
    failAll(thrown: unknown): void {
      for (const wait of waits.values()) wait.onFailed(thrown)
      waits.clear()
    },
  }
}

/** What a watcher looks at, and the clock that says when. */
interface EndWatcherDeps {
  readonly operations: Pick<OperationsPort, 'getEnds'>
  readonly hints: HintsPort
  readonly clock: ClockPort
}

/**
 * Makes a watcher over one deployment. A read that fails meets every wait: the port is patient with
 * a store that has a bad moment.
 */
export function createEndWatcher(deps: EndWatcherDeps, deployment: DeploymentId): EndWatcher {
  let over: { readonly thrown: unknown } | undefined
  const waits = createWaits()
  let due = new Set<OperationId>()
  let isReading = false
  const read = async (): Promise<void> => {
    while (due.size > 0) {
      const ids = [...due].filter(id => waits.has(id)).slice(0, batchMax)
      if (ids.length === 0) {
        due = new Set()
        break
      }
      for (const id of ids) due.delete(id)
      for (const [id, end] of await deps.operations.getEnds(deployment, ids)) {
        if (end.head.end !== undefined) waits.end(id, end)
      }
    }
  }
  const scheduleRead = (): void => {
    if (isReading) return
    isReading = true
    deps.clock.defer(() => {
      read()
        .catch(thrown => waits.failAll(thrown))
        .finally(() => {
          isReading = false
          if (due.size > 0) scheduleRead()
        })
    })
  }
  const settleAll = async (thrown: unknown): Promise<void> => {
    for (const id of waits.keys()) due.add(id)
    await read().catch(() => undefined)
    waits.failAll(thrown)
  }
  const stopListening = deps.hints.listen(deployment, id => {
    if (!waits.has(id)) return
    due.add(id)
    scheduleRead()
  })
  const stopPolling = deps.clock.repeat(pauses.firstMs, () => {
    for (const id of waits.due(deps.clock.monotonicMs())) due.add(id)
    if (due.size > 0) scheduleRead()
  })
  return {
    wait: id =>
      new Promise((onEnd, onFailed) => {
        const { firstMs: pauseMs } = pauses
        // One look of the clock is not to miss it by a moment.
        const nextReadMs = deps.clock.monotonicMs() + pauseMs / 2
        waits.add(id, { onEnd, onFailed, nextReadMs, pauseMs: pauseMs / 2 })
        due.add(id)
        // Nothing runs any more: what has not ended never will.
        if (over !== undefined) void settleAll(over.thrown)
      }),
    openWaits: () => [...waits.keys()],
    settle(thrown) {
      over = { thrown }
      return settleAll(thrown)
    },
    close() {
      stopListening()
      stopPolling()
    },
  }
}
