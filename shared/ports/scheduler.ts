import type { EpochMs } from '../records/ids.ts'
import type { DocumentKey } from './documents.ts'

/** The times of a schedule, in the syntax of EventBridge Scheduler. */
export interface SchedulerExpression {
  readonly expression: string
  readonly zone: string
  /** The first time of a rate expression. */
  readonly startAt?: EpochMs
  /** The flexible window, 1 to 1,440 minutes; absent: off. */
  readonly windowMinutes?: number
}

/** The calls for one schedule, from placement to removal. */
export interface PlacedCalls {
  /** A name that is never reused: at most 64 letters, digits and `-`. */
  readonly name: string
  readonly key: DocumentKey
  readonly times: SchedulerExpression
  readonly placedAt: EpochMs
}

/**
 * An external scheduling service, absent where a process checks schedules itself. The called
 * function decides by the document, so a superfluous call has no effect.
 */
export interface SchedulerPort {
  /**
   * Places calls; a repetition places them once. Throws SCHEDULE_INVALID when the service refuses
   * them.
   */
  readonly place: (calls: PlacedCalls) => Promise<void>
  /** Removes calls. Absent calls count as removed. */
  readonly remove: (name: string) => Promise<void>
}
