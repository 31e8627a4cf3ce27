/** The receivers of a message: functions with a time limit, or processes without one. */
export type Pool = 'short' | 'long'

/**
 * How a generator left a deployment to the next one. `limit`: its time was over. `parked`: it only
 * waited, and an end wakes the next one. `ended`: the number of operations that had ended.
 */
export interface HandOver {
  readonly why: 'limit' | 'parked'
  /** The pool of the next generator. */
  readonly pool: Pool
  readonly ended: number
}
