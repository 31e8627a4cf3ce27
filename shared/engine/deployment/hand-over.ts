import { limits } from '../../config/limits.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { HandOver } from '../../records/pool.ts'
import type { Pace } from './pace.ts'

/** How long before the end of its time a function begins to leave, in ms. */
export function leaveMs(limitMs: number): number {
  return Math.min(limitMs / 5, limits.leaveMs)
}

/** What is known when it is asked whether a life is to end. */
export interface LifeNow {
  /** Whether its process is to end: another one goes on, however little came of this life. */
  readonly isAsked: boolean
  /** Infinity without a limit. */
  readonly limitMs: number
  readonly pace: Pace
  /** Whether something ended since the life before this one left. */
  readonly hasNews: boolean
  /** Operations that are awaited. */
  readonly awaited: number
  /** Whether an executor may be found gone soon: another life would have to look anew. */
  readonly isLooking: boolean
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
export function handOverDue(now: LifeNow): Pick<HandOver, 'why' | 'pool'> | undefined {
  const { limitMs, pace, hasNews } = now
  if (now.isAsked) return { why: 'limit', pool: 'short' }
  if (limitMs === Infinity) return undefined
  const hasProgress = hasNews || pace.decided() + pace.ended() > 0
  const isIdle = pace.idleMs() >= Math.min(limits.parkAfterMs, limitMs / 4)
  // Else nothing would wake the next one, or that would find nothing new and park on.
  const mayPark = now.awaited > 0 && now.hasCaughtUp && hasProgress && !now.isLooking
  if (isIdle && mayPark) return { why: 'parked', pool: 'short' }
  if (pace.livedMs() < limitMs - leaveMs(limitMs)) return undefined
  const isCheap = pace.replayMs() <= limitMs / 3
  return { why: 'limit', pool: hasProgress && isCheap ? 'short' : 'long' }
}

/** How often a life is asked whether it is to end, in ms. */
const lookMs = 250

/** Resolves when a life is to end; never, once `isOver`. */
export async function untilHandOver(
  clock: ClockPort,
  now: () => LifeNow | undefined,
  over: AbortSignal,
): Promise<Pick<HandOver, 'why' | 'pool'>> {
  for (;;) {
    await clock.sleep(lookMs, over)
    if (over.aborted) return new Promise(() => undefined)
    const known = now()
    const due = known === undefined ? undefined : handOverDue(known)
    if (due !== undefined) return due
  }
}
