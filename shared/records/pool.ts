/** Who takes a message: functions that end at a time limit, or those that have none. */
export type Pool = 'short' | 'long'

/**
 * How a generator left a deployment to the next one: `limit`: its time was over; `parked`: it only
 * waited, and an end wakes the next. `ended`: operations that had ended then.
 */
export interface HandOver {
  readonly why: 'limit' | 'parked'
  /** Where the next generator runs. */
  readonly pool: Pool
  readonly ended: number
}
