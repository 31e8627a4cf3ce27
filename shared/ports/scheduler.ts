import type { EpochMs } from '../records/ids.ts'
import type { DocumentKey } from './documents.ts'

/** When a schedule runs, in the words of EventBridge Scheduler. */
export interface SchedulerExpression {
  readonly expression: string
  readonly zone: string
  /** The first time of a rate. */
  readonly startAt?: EpochMs
  /** The flexible window, 1 to 1,440 minutes; absent: off. */
  readonly windowMinutes?: number
}

/** Calls for one schedule, from when they are placed until they are removed. */
export interface PlacedCalls {
  /** Never used for others: at most 64 characters of letters, digits, `-`. */
  readonly name: string
  readonly key: DocumentKey
  readonly times: SchedulerExpression
  readonly placedAt: EpochMs
}

/**
 * A service that calls when a schedule is due; absent where a process looks at schedules by itself.
 * What it calls decides by the document: a call too many asks for nothing.
 */
export interface SchedulerPort {
  /**
   * Places calls; repeated, they are placed once. Throws SCHEDULE_INVALID for what the service
   * refuses.
   */
  readonly place: (calls: PlacedCalls) => Promise<void>
  /** Removes calls; those that are not there are removed. */
  readonly remove: (name: string) => Promise<void>
}
