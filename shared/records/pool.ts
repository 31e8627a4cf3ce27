/** The receivers of a message: functions with a time limit, or processes without one. */
export type Pool = 'short' | 'long'

/**
 * The hand-over of a deployment to the next generator run. `limit`: the time of the run was over,
 * or its process shut down. `parked`: the run only waited, and the end of an operation wakes the
 * next run. `ended`: the number of operations that had ended.
 */
export interface HandOver {
  readonly why: 'limit' | 'parked'
  /** The pool of the next generator. */
  readonly pool: Pool
  readonly ended: number
}
