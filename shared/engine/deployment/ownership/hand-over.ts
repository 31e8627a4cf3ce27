import { limits } from '../../../config/limits.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { HandOver } from '../../../records/pool.ts'
import type { RunProgress } from '../ends/progress-tracker.ts'

/** Returns how long before its time limit a function begins to shut down, in ms. */
export function leaveMarginMsOf(limitMs: number): number {
  return Math.min(limitMs / 5, limits.leaveMs)
}

/** The status of a generator run for the decision about a hand-over. */
export interface RunStatus {
  /**
   * Whether its process is shutting down. The next generator run then starts regardless of this
   * run's progress.
   */
  readonly isLeaveRequested: boolean
  /** Infinity without a limit. */
  readonly limitMs: number
  readonly progress: RunProgress
  /** Whether an operation ended after the previous generator run had left. */
  readonly hasNews: boolean
  /** Number of awaited operations. */
  readonly awaited: number
  /**
   * Whether an executor may soon turn out to be gone. Another generator run would have to observe
   * it from the beginning.
   */
  readonly isObserving: boolean
  /** Whether it has awaited all operations that had ended before it began. */
  readonly hasCaughtUp: boolean
}

/**
 * Decides whether a generator hands its deployment over now, and to which pool. It does so when its
 * time limit is near or its process is shutting down. After a run without new records, or with a
 * third of its time spent on replay, another short run would not progress either. The next run then
 * has no limit. A run that only waits parks. Source: docs/architecture.md#hand-over.
 */
export function decideHandOver(status: RunStatus): Pick<HandOver, 'why' | 'pool'> | undefined {
  const { limitMs, progress, hasNews } = status
  if (status.isLeaveRequested) return { why: 'limit', pool: 'short' }
  if (limitMs === Infinity) return undefined
  const hasProgress = hasNews || progress.decidedCount() + progress.endedCount() > 0
  const isIdle = progress.idleMs() >= Math.min(limits.parkAfterMs, limitMs / 4)
  // Otherwise nothing would wake the next generator run, or it would find nothing new and park
  // again.
  const mayPark = status.awaited > 0 && status.hasCaughtUp && hasProgress && !status.isObserving
  if (isIdle && mayPark) return { why: 'parked', pool: 'short' }
  if (progress.elapsedMs() < limitMs - leaveMarginMsOf(limitMs)) return undefined
  const isCheap = progress.replayMs() <= limitMs / 3
  return { why: 'limit', pool: hasProgress && isCheap ? 'short' : 'long' }
}

/** Interval at which a generator run checks whether to hand over, in ms. */
const pollMs = 250

/** Resolves when a generator run must hand over. Never resolves after `over` has aborted. */
export async function waitForHandOver(
  clock: ClockPort,
  readStatus: () => RunStatus | undefined,
  over: AbortSignal,
): Promise<Pick<HandOver, 'why' | 'pool'>> {
  for (;;) {
    await clock.sleep(pollMs, over)
    if (over.aborted) return new Promise(() => undefined)
    const status = readStatus()
    const due = status === undefined ? undefined : decideHandOver(status)
    if (due !== undefined) return due
  }
}
