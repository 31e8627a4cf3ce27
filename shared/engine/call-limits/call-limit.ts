/**
 * call-limits: how many calls of providers may start in a period, and how many may run at once.
 * Imports programs' rules, ports and below, and the engine's deployment. `limit-record.ts` is pure,
 * `limit-records.ts` reads and writes the records, and `limit-waits.ts` waits.
 */
/** A limit of one call: the rule with the values of the call. */
export interface CallLimit {
  /** The name of the limit's record, unique in its scope. */
  readonly name: string
  /** The text for people, such as `aws:ses/* (region=eu-west-1)`. */
  readonly label: string
  /** Whether stacks of the installation share the limit. */
  readonly isShared: boolean
  /** Time between two starts, in ms. 0: the rate is not limited. */
  readonly intervalMs: number
  readonly burst: number
  /** Calls that may run at the same time. Absent: any number. */
  readonly concurrency?: number
}
