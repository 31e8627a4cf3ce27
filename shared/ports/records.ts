/**
 * ports: everything that Antichain asks of the outside, as small interfaces. Imports records and
 * below. Adapters live in platform/; each port has one contract suite in test/contract.
 *
 * All calls may be repeated safely with the same arguments: a repeated write that took effect
 * before answers as it did then. All reads are strongly consistent. A store that cannot write
 * throws STORE_UNAVAILABLE and has written nothing.
 */
import type {
  BlobHash,
  DeploymentId,
  ExecutorId,
  LogNumber,
  OperationId,
  OwnerToken,
} from '../records/ids.ts'
import type { Control, Head, Lease, Outcome, ProcessGroup, Stop, Verdict } from '../records/head.ts'
import type { Holder, LogRecord } from '../records/log.ts'
import type { HandOver } from '../records/pool.ts'

/** The numbered log of one deployment; one writer at a time, fenced by put-if-absent. */
export interface DecisionLogPort {
  /**
   * Puts a record at its number if that is free and the one before exists. `mine`: it was there
   * with this writer's token and content. `taken`: another's.
   */
  readonly append: (
    deployment: DeploymentId,
    record: LogRecord,
  ) => Promise<'appended' | 'mine' | 'taken'>
  /**
   * Records from a number on, in order, at most `limit`. Throws RECORD_DAMAGED when one of them is
   * missing, RECORDS_REMOVED when retention has begun to remove them.
   */
  readonly read: (
    deployment: DeploymentId,
    from: LogNumber,
    limit: number,
  ) => Promise<readonly LogRecord[]>
}

/** What a begin came to. */
export type BeginResult =
  | { readonly kind: 'begun'; readonly attempt: number }
  /** Refused; `head` is what stands there. */
  | { readonly kind: 'refused'; readonly head: Head }

/** Heads and outcomes. Every method is one conditional write or one read of one item. */
export interface OperationsPort {
  /** Adds `from` to the arrivals of `to` (a set: twice is once). Answers the head as it is then. */
  readonly arrive: (deployment: DeploymentId, to: OperationId, from: OperationId) => Promise<Head>
  /**
   * Condition: not ended; no owner, or `owner` itself; attempt = `attempt`; arrivals >= `needs`.
   * Sets owner, executor, attempt + 1. A repetition by the same owner answers `begun`.
   */
  readonly begin: (
    deployment: DeploymentId,
    operation: OperationId,
    claim: {
      readonly owner: OwnerToken
      readonly executor: ExecutorId
      readonly attempt: number
      readonly needs: number
    },
  ) => Promise<BeginResult>
  /**
   * Undoes the owner's own attempt: condition owner and attempt; clears the owner, counts it as
   * given back; never lowers the attempt.
   */
  readonly giveBack: (
    deployment: DeploymentId,
    operation: OperationId,
    owner: OwnerToken,
    attempt: number,
  ) => Promise<boolean>
  /**
   * Clears the owner of a begun head whose executor is gone or no longer knows: condition owner,
   * attempt, not ended.
   */
  readonly lapse: (
    deployment: DeploymentId,
    operation: OperationId,
    owner: OwnerToken,
    attempt: number,
  ) => Promise<boolean>
  /** Puts an outcome if absent; it is never changed. */
  readonly putOutcome: (deployment: DeploymentId, outcome: Outcome) => Promise<void>
  readonly getOutcome: (
    deployment: DeploymentId,
    operation: OperationId,
    attempt: number,
  ) => Promise<Outcome | undefined>
  /**
   * Ends the head with a verdict. Condition: this owner ('' for an unowned head), this attempt, not
   * ended. True also when this very end stands already.
   */
  readonly select: (
    deployment: DeploymentId,
    operation: OperationId,
    end: { readonly owner: OwnerToken | ''; readonly attempt: number; readonly verdict: Verdict },
  ) => Promise<boolean>
  /** Heads by id; absent ones are left out. At most 500 ids a call. */
  readonly getHeads: (
    deployment: DeploymentId,
    operations: readonly OperationId[],
  ) => Promise<ReadonlyMap<OperationId, Head>>
  /** Heads and selected outcomes by id, for the fold: at most 500 ids a call. */
  readonly getEnds: (
    deployment: DeploymentId,
    operations: readonly OperationId[],
  ) => Promise<ReadonlyMap<OperationId, { readonly head: Head; readonly outcome?: Outcome }>>
}

/** The control record of a deployment. */
export interface ControlPort {
  /** Puts the record if absent. */
  readonly create: (deployment: DeploymentId, holder: Holder) => Promise<boolean>
  readonly read: (deployment: DeploymentId) => Promise<Control | undefined>
  /** Raises the stop flag; never lowers it. */
  readonly stop: (deployment: DeploymentId, stop: Exclude<Stop, 'none'>) => Promise<void>
  /**
   * Says that `holder` leaves the deployment to the next generator: condition holder, not closed.
   */
  readonly handOver: (
    deployment: DeploymentId,
    holder: Holder,
    handOver: HandOver,
  ) => Promise<boolean>
  /**
   * Names who holds the log now, by its takeover record `at`, which is durable, and ends a
   * hand-over. Condition: no holder by a later record, and not done before. A copy that comes late
   * is nothing.
   */
  readonly hold: (deployment: DeploymentId, holder: Holder, at: LogNumber) => Promise<void>
  readonly close: (deployment: DeploymentId) => Promise<void>
}

/** The claims of executors. */
export interface LeasesPort {
  readonly register: (
    deployment: DeploymentId,
    executor: ExecutorId,
    holder: Holder,
  ) => Promise<void>
  /** False when the lease was retired: the identity must not be used again. */
  readonly renew: (
    deployment: DeploymentId,
    executor: ExecutorId,
    groups: readonly ProcessGroup[],
  ) => Promise<boolean>
  readonly retire: (deployment: DeploymentId, executor: ExecutorId) => Promise<void>
  /** Retires it by its own word, once nothing runs under it; stands also when others retired it. */
  readonly leave: (deployment: DeploymentId, executor: ExecutorId) => Promise<void>
  readonly list: (deployment: DeploymentId) => Promise<readonly Lease[]>
}

/** Engine events of a deployment, for readers elsewhere and for history. */
export interface EventsPort {
  /** Appends lines of one writer from `first` on; a repetition changes nothing. */
  readonly append: (
    deployment: DeploymentId,
    writer: string,
    first: number,
    events: readonly string[],
  ) => Promise<void>
  readonly read: (
    deployment: DeploymentId,
    cursor: number,
    limit: number,
  ) => Promise<{ readonly events: readonly string[]; readonly cursor: number }>
}

/** Immutable bytes by their SHA-256. */
export interface BlobsPort {
  /** Durable when it returns. */
  readonly put: (bytes: Uint8Array) => Promise<BlobHash>
  /** Throws STATE_INVALID when the blob is absent or damaged. */
  readonly get: (hash: BlobHash) => Promise<Uint8Array>
}
