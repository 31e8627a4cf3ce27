import { limits } from '../../config/limits.ts'
import type { Pool } from '../../records/pool.ts'
import type { Step } from '../step.ts'
import { expectedMinutesByType } from './expected-durations.ts'
import { durationKeyOfCall, timedCallOfStep } from './duration-key.ts'

/**
 * The admission of an operation. The operation begins `now`, waits for an executor that has its
 * full time left (`later`), or waits for an executor without a time limit (`long`).
 */
export type Admission = 'now' | 'later' | 'long'

/** The time of an executor with a time limit. */
export interface FunctionTime {
  readonly pool: Pool
  /** Time until the executor begins to shut down, in ms. */
  readonly remainingMs: () => number
  /** The value of `remainingMs` when the executor started, in ms. */
  readonly startRemainingMs: number
}

/** Previous durations of a stack's operations by `durationKeyOf`, in ms. */
export type EarlierDurations = ReadonlyMap<string, number>

/**
 * Decides whether an operation begins now, later or in the long pool. The decision comes before the
 * begin, because a running call is never aborted. Source: docs/architecture.md#hand-over.
 */
export function admissionOf(
  step: Step,
  earlierDurationsMs: EarlierDurations,
  time: FunctionTime,
): Admission {
  const expectedMs = estimateMs(step, earlierDurationsMs)
  if (expectedMs <= time.remainingMs()) return 'now'
  // A new executor has used a part of its time before its first admission. An operation that needs
  // the full time of an executor would be deferred forever, so it goes to the long pool.
  const guaranteedMs =
    time.startRemainingMs - Math.min(time.startRemainingMs / 4, limits.executorStartMs)
  return expectedMs <= guaranteedMs ? 'later' : 'long'
}

/**
 * Estimates the duration of a step, in ms: its custom timeout, otherwise its previous duration with
 * a margin, otherwise the expected duration of its type. Without any of these, returns a default.
 * Returns 0 for a step without a provider call.
 */
function estimateMs(step: Step, earlierDurationsMs: EarlierDurations): number {
  const call = timedCallOfStep(step)
  if (call === undefined || step.skipCall) return 0
  const state = call === 'create' ? step.next : (step.old?.state ?? step.next)
  const customSeconds = (call === 'update' ? step.next : state)?.customTimeouts[call] ?? 0
  if (customSeconds > 0) return customSeconds * 1_000
  const previousMs = earlierDurationsMs.get(durationKeyOfCall(step.type, call))
  // A margin, because durations vary.
  if (previousMs !== undefined) return previousMs * 1.25
  const minutes = call === 'read' ? undefined : expectedMinutesByType.get(step.type)
  return minutes === undefined ? limits.expectedOperationMs : minutes * 60_000
}
