import { limits } from '../../../config/limits.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { HandOver } from '../../../records/pool.ts'
import type { RunProgress } from '../ends/progress-tracker.ts'

/** How long before the end of its time a function begins to leave, in ms. */
export function leaveMarginMsOf(limitMs: number): number {
  return Math.min(limitMs / 5, limits.leaveMs)
}

/** What is known when it is asked whether a life is to end. */
export interface RunStatus {
  /** Whether its process is to end: another one goes on, however little came of this life. */
  readonly isLeaveRequested: boolean
  /** Infinity without a limit. */
  readonly limitMs: number
  readonly progress: RunProgress
  /** Whether something ended since the life before this one left. */
  readonly hasNews: boolean
  /** Operations that are awaited. */
  readonly awaited: number
  /** Whether an executor may be found gone soon: another life would have to look anew. */
  readonly isObserving: boolean
  /** Whether it has come upon everything that had ended when it began. */
  readonly hasCaughtUp: boolean
}

/**
 * Whether a generator that has a time limit, or is asked to, leaves its deployment to the next one
 * now, and where that runs. A life that recorded nothing new, or spent a third of its time on what
 * earlier ones had decided, would only be followed by another such: the next has no limit. Who only
 * waits parks.
 * Source: docs/architecture.md#hand-over.
 */
export function decideHandOver(status: RunStatus): Pick<HandOver, 'why' | 'pool'> | undefined {
  const { limitMs, progress, hasNews } = status
  if (status.isLeaveRequested) return { why: 'limit', pool: 'short' }
  if (limitMs === Infinity) return undefined
  const hasProgress = hasNews || progress.decidedCount() + progress.endedCount() > 0
  const isIdle = progress.idleMs() >= Math.min(limits.parkAfterMs, limitMs / 4)
  // Else nothing would wake the next one, or that would find nothing new and park on.
  const mayPark = status.awaited > 0 && status.hasCaughtUp && hasProgress && !status.isObserving
  if (isIdle && mayPark) return { why: 'parked', pool: 'short' }
  if (progress.elapsedMs() < limitMs - leaveMarginMsOf(limitMs)) return undefined
  const isCheap = progress.replayMs() <= limitMs / 3
  return { why: 'limit', pool: hasProgress && isCheap ? 'short' : 'long' }
}

/** How often a life is asked whether it is to end, in ms. */
const pollMs = 250

/** Resolves when a life is to end; never, once `isOver`. */
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
