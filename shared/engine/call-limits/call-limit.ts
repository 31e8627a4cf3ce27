/**
 * call-limits: how many calls to providers may start in a period, and how many may run at once.
 * Imports the limit rules of programs, ports and below, and the deployment folder of the engine.
 * `limit-record.ts` is pure, `limit-records.ts` reads and writes the records, and `limit-waits.ts`
 * waits.
 */
/**
 * A limit that applies to a call. It belongs to a rule, or to a package whose provider throttles
 * calls. A rule has one limit for each combination of values of the inputs in its `by`.
 */
export interface CallLimit {
  /** The name of the limit's record, unique in its scope. */
  readonly name: string
  /** The text for people, such as `aws:ses/* (region=eu-west-1)`. */
  readonly label: string
  /** Whether all stacks share the limit. Otherwise the deployments of one stack share it. */
  readonly isShared: boolean
  /** Time between two starts, in ms. 0: the rate is not limited. */
  readonly intervalMs: number
  /** Calls that may start at once after a time without starts. */
  readonly burst: number
  /** Calls that may run at the same time. Absent: any number. */
  readonly concurrency?: number
}
