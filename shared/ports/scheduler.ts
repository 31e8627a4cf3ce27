import type { EpochMs } from '../records/ids.ts'
import type { DocumentKey } from './documents.ts'

/** The times of a schedule, in the syntax of EventBridge Scheduler. */
export interface SchedulerExpression {
  readonly expression: string
  /** The name of the time zone in the IANA database. */
  readonly zone: string
  /** The time of the first call, for a rate expression. */
  readonly startAt?: EpochMs
  /** The flexible window, 1 to 1,440 minutes; absent: off. */
  readonly windowMinutes?: number
}

/** The calls that the scheduling service makes for one schedule until they are removed. */
export interface ScheduledCalls {
  /** A name that is never reused. It has at most 64 characters: letters, digits and `-`. */
  readonly name: string
  /** The key of the schedule's document. */
  readonly key: DocumentKey
  readonly times: SchedulerExpression
  /** The time at which the calls were registered with the service. */
  readonly placedAt: EpochMs
}

/**
 * An external scheduling service, absent where a process checks schedules itself. The called
 * function reads the document of the schedule, so a superfluous call has no effect.
 */
export interface SchedulerPort {
  /**
   * Registers calls with the service. A repetition has no further effect. Throws SCHEDULE_INVALID
   * when the service refuses the calls.
   */
  readonly place: (calls: ScheduledCalls) => Promise<void>
  /** Removes calls. Absent calls count as removed. */
  readonly remove: (name: string) => Promise<void>
}
