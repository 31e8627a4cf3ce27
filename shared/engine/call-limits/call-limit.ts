/**
 * call-limits: how many calls to providers may start in a period, and how many may run at the same
 * time. Imports `shared/ports` and below, the limit rules of `shared/programs`, and the folder
 * `deployment` of the engine.
 * `limit-record.ts` is pure, `limit-records.ts` reads and writes the records, and `limit-waits.ts`
 * waits.
 */

/**
 * A limit that applies to a call. It belongs to a rule, or to a package whose provider throttles
 * calls. The field `by` of a rule names inputs. Each combination of their values has a limit of its
 * own.
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
  /** Calls that may start without an interval between them, after a time without starts. */
  readonly burst: number
  /** Calls that may run at the same time. Absent: any number. */
  readonly concurrency?: number
}
