import { limits } from '../../../config/limits.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { HandOver } from '../../../records/pool.ts'
import type { RunProgress } from '../ends/progress-tracker.ts'

/** Returns the time that a function reserves for its shutdown before its time limit, in ms. */
export function shutdownMarginMsOf(limitMs: number): number {
  return Math.min(limitMs / 5, limits.shutdownMarginMs)
}

/** The status of a generator run for the decision about a hand-over. */
export interface RunStatus {
  /**
   * Whether the process of the generator run is shutting down. The next generator run then starts
   * regardless of the progress of this one.
   */
  readonly isShuttingDown: boolean
  /** The time limit of the generator run, in ms. Infinity without a limit. */
  readonly limitMs: number
  readonly progress: RunProgress
  /** Whether an operation has ended since the previous hand-over. */
  readonly hasNewEnds: boolean
  /** Number of awaited operations. */
  readonly awaitedCount: number
  /**
   * Whether the run must continue although it only waits: a hook of the program is running, or an
   * executor may soon count as gone. Another run would have to observe that executor from the
   * beginning.
   */
  readonly mustNotPark: boolean
  /** Whether the run has awaited all operations that had ended before the run began. */
  readonly hasCaughtUp: boolean
}

/**
 * Decides whether a generator hands its deployment over now, and to which pool. Returns undefined
 * when the run continues. At a shutdown, and when the run only waits and is parked, the pool is
 * `short`. Near the time limit, the pool is `long` if another short run would probably make no
 * progress. This run is the evidence: it made no progress, or its replay took more than a third of
 * the limit.
 * Source: docs/architecture.md#hand-over.
 */
export function decideHandOver(status: RunStatus): Pick<HandOver, 'why' | 'pool'> | undefined {
  const { limitMs, progress, hasNewEnds } = status
  if (status.isShuttingDown) return { why: 'limit', pool: 'short' }
  if (limitMs === Infinity) return undefined
  const hasProgress = hasNewEnds || progress.decidedCount() + progress.endedCount() > 0
  const isIdle = progress.idleMs() >= Math.min(limits.parkAfterMs, limitMs / 4)
  // If one of these conditions is false, no process would wake the next generator run. Or that run
  // would find no new end and park again.
  const mayPark =
    status.awaitedCount > 0 && status.hasCaughtUp && hasProgress && !status.mustNotPark
  if (isIdle && mayPark) return { why: 'parked', pool: 'short' }
  if (progress.elapsedMs() < limitMs - shutdownMarginMsOf(limitMs)) return undefined
  const isReplayShort = progress.replayMs() <= limitMs / 3
  return { why: 'limit', pool: hasProgress && isReplayShort ? 'short' : 'long' }
}

/** Interval at which a generator run checks whether to hand over, in ms. */
const checkEveryMs = 250

/** Resolves when a generator run must hand over. Never resolves after `endSignal` has aborted. */
export async function waitForHandOver(
  clock: ClockPort,
  readStatus: () => RunStatus | undefined,
  endSignal: AbortSignal,
): Promise<Pick<HandOver, 'why' | 'pool'>> {
  for (;;) {
    await clock.sleep(checkEveryMs, endSignal)
    if (endSignal.aborted) return new Promise(() => undefined)
    const status = readStatus()
    const handOver = status === undefined ? undefined : decideHandOver(status)
    if (handOver !== undefined) return handOver
  }
}
