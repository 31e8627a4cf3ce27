/**
 * ports: small interfaces for everything that Antichain needs from the outside. Imports records and
 * below. Adapters are in platform/. Each port of a store or a queue has one contract suite in
 * test/contract. All calls can be repeated safely with the same arguments. A repeated write changes
 * nothing. It returns the result of the first write, unless the docstring of the method names
 * another result. All reads are strongly consistent. A store that cannot confirm a write throws
 * STORE_UNAVAILABLE. The write may have taken effect, so the caller repeats it.
 */
import type {
  BlobHash,
  DeploymentId,
  ExecutorId,
  LogNumber,
  OperationId,
  OwnerToken,
  StackId,
} from '../records/ids.ts'
import type {
  Control,
  Head,
  Lease,
  Outcome,
  ProcessGroup,
  StopFlag,
  Verdict,
} from '../records/head.ts'
import type { Holder, LogRecord } from '../records/log.ts'
import type { HandOver } from '../records/pool.ts'

/** The numbered log of one deployment. It has one writer at a time, fenced by put-if-absent. */
export interface DecisionLogPort {
  /**
   * Puts a record at its number if the number is free and the previous record exists.
   * `already-appended`: an equal record of this writer exists, so the call is a repetition.
   * `refused`: another record has the number, or the previous record does not exist.
   */
  readonly append: (
    deployment: DeploymentId,
    record: LogRecord,
  ) => Promise<'appended' | 'already-appended' | 'refused'>
  /**
   * Returns at most `limit` records from `fromNumber` on, in order. Throws RECORD_DAMAGED when a
   * record before an existing record is missing. Throws RECORDS_REMOVED when retention has begun to
   * remove the records.
   */
  readonly read: (
    deployment: DeploymentId,
    fromNumber: LogNumber,
    limit: number,
  ) => Promise<readonly LogRecord[]>
}

/** The result of a begin. */
export type BeginResult =
  | { readonly kind: 'begun'; readonly attempt: number }
  /** Refused; `head` is the current head. */
  | { readonly kind: 'refused'; readonly head: Head }

/** The new owner in a begin, and the conditions on the head. */
export interface BeginRequest {
  readonly owner: OwnerToken
  readonly executor: ExecutorId
  /** The number of the last attempt that the head must have, 0 for none. */
  readonly expectedAttempt: number
  /** The number of arrivals that the operation needs. */
  readonly needs: number
}

/** Heads and outcomes. Each write changes one head or outcome atomically. */
export interface OperationsPort {
  /**
   * Adds `origin`, an operation that has ended, to the arrivals in the head of `operation`. The
   * arrivals are a set. Returns the head after the write.
   */
  readonly arrive: (
    deployment: DeploymentId,
    operation: OperationId,
    origin: OperationId,
  ) => Promise<Head>
  /**
   * Begins the attempt `expectedAttempt + 1`. The head must have no end, no other owner, and at
   * least `needs` arrivals. The number of its last attempt must be `expectedAttempt`, 0 for none.
   * The write sets owner and executor, and increments the attempt. A repetition by the same owner
   * returns `begun`.
   */
  readonly begin: (
    deployment: DeploymentId,
    operation: OperationId,
    beginRequest: BeginRequest,
  ) => Promise<BeginResult>
  /**
   * Undoes the begin of `attempt` by `owner`: clears the owner and counts the attempt as given
   * back. Never lowers the number of the attempt. Returns false when the head has another owner or
   * attempt, or has ended. A repetition returns true, even when the head has ended since.
   */
  readonly giveBack: (
    deployment: DeploymentId,
    operation: OperationId,
    owner: OwnerToken,
    attempt: number,
  ) => Promise<boolean>
  /**
   * Clears the owner of a begun head whose executor is gone or has lost track of the call. Returns
   * false when the head has another owner or attempt, or has ended. A repetition returns true, even
   * when the head has ended since.
   */
  readonly lapse: (
    deployment: DeploymentId,
    operation: OperationId,
    owner: OwnerToken,
    attempt: number,
  ) => Promise<boolean>
  /** Puts an outcome if absent. An outcome never changes. */
  readonly putOutcome: (deployment: DeploymentId, outcome: Outcome) => Promise<void>
  readonly getOutcome: (
    deployment: DeploymentId,
    operation: OperationId,
    attempt: number,
  ) => Promise<Outcome | undefined>
  /**
   * Ends the head with a verdict. `owner` is '' for a head without an owner. Returns false when the
   * head has another owner, attempt or end. Returns true also when the head already has exactly
   * this end.
   */
  readonly select: (
    deployment: DeploymentId,
    operation: OperationId,
    end: { readonly owner: OwnerToken | ''; readonly attempt: number; readonly verdict: Verdict },
  ) => Promise<boolean>
  /** Returns heads by id, without absent ones. At most 500 ids per call. */
  readonly getHeads: (
    deployment: DeploymentId,
    operations: readonly OperationId[],
  ) => Promise<ReadonlyMap<OperationId, Head>>
  /**
   * Returns heads by id, each with its selected outcome. Absent heads are omitted. At most 500 ids
   * per call.
   */
  readonly getEnds: (
    deployment: DeploymentId,
    operations: readonly OperationId[],
  ) => Promise<ReadonlyMap<OperationId, { readonly head: Head; readonly outcome?: Outcome }>>
}

/** The control record of a deployment. */
export interface ControlPort {
  /** Creates the record if absent. Returns false when another call created it before. */
  readonly create: (deployment: DeploymentId, holder: Holder) => Promise<boolean>
  readonly read: (deployment: DeploymentId) => Promise<Control | undefined>
  /** Raises the stop flag. It is never lowered. */
  readonly stop: (deployment: DeploymentId, stop: Exclude<StopFlag, 'none'>) => Promise<void>
  /**
   * Records that `holder` leaves the deployment to the next generator. Returns false when the
   * deployment has another holder or is closed.
   */
  readonly handOver: (
    deployment: DeploymentId,
    holder: Holder,
    handOver: HandOver,
  ) => Promise<boolean>
  /**
   * Records the new holder of the log, and ends a hand-over. `takeoverNumber` is the number of the
   * holder's durable takeover record. The call has no effect when a takeover record with this or a
   * later number has already set the holder. A late copy of the call is therefore harmless.
   */
  readonly hold: (
    deployment: DeploymentId,
    holder: Holder,
    takeoverNumber: LogNumber,
  ) => Promise<void>
  readonly close: (deployment: DeploymentId) => Promise<void>
}

/** The leases of executors and generator runs. */
export interface LeasesPort {
  readonly register: (
    deployment: DeploymentId,
    executor: ExecutorId,
    holder: Holder,
  ) => Promise<void>
  /**
   * Renews a lease. Returns false when the lease is retired or missing. The executor must then not
   * use its identity again.
   */
  readonly renew: (
    deployment: DeploymentId,
    executor: ExecutorId,
    groups: readonly ProcessGroup[],
  ) => Promise<boolean>
  readonly retire: (deployment: DeploymentId, executor: ExecutorId) => Promise<void>
  /**
   * Retires the lease of an executor. Only the executor itself calls it, after all its operations
   * have ended. Sets `left` of the lease, even if another process has retired the lease before.
   */
  readonly leave: (deployment: DeploymentId, executor: ExecutorId) => Promise<void>
  readonly list: (deployment: DeploymentId) => Promise<readonly Lease[]>
}

/**
 * Engine events of a deployment, for remote readers and for the history. `read` continues after
 * `cursor` and returns the next cursor. The cursor 0 is the beginning.
 */
export interface EventsPort {
  /**
   * Appends lines of one writer: a generator run, an executor, or a batch of a client of Pulumi.
   * `firstLineNumber` is the number of the first line, from 0 for each writer. A repetition changes
   * nothing.
   */
  readonly append: (
    deployment: DeploymentId,
    writer: string,
    firstLineNumber: number,
    events: readonly string[],
  ) => Promise<void>
  /**
   * Returns lines from a cursor on, and the cursor of the next read. A page can have fewer lines
   * than `limit` although more lines follow: only `hasMore` reports this.
   */
  readonly read: (deployment: DeploymentId, cursor: number, limit: number) => Promise<EventLines>
}

/** A page of event lines. Without `hasMore`, no further line is stored yet. */
export interface EventLines {
  readonly events: readonly string[]
  readonly cursor: number
  readonly hasMore: boolean
}

/** Immutable bytes, named by their SHA-256. */
export interface BlobsPort {
  /** Stores bytes durably. */
  readonly put: (bytes: Uint8Array) => Promise<BlobHash>
  /** Returns a blob. Throws STATE_INVALID when it is absent or damaged. */
  readonly get: (hash: BlobHash) => Promise<Uint8Array>
}

/**
 * Archives of programs, each of one stack. The name of an archive is derived from its stack and its
 * content by `archiveNameOf`. Thus the bytes of one program have another name for each stack.
 */
export interface ArchivesPort {
  /** Stores an archive of a stack durably. Returns its name. */
  readonly put: (stack: StackId, bytes: Uint8Array) => Promise<BlobHash>
  /**
   * Returns an archive of a stack. A name from a record of an older version is the SHA-256 of the
   * bytes. Throws STATE_INVALID when the archive is absent, damaged, or of another stack.
   */
  readonly get: (stack: StackId, name: BlobHash) => Promise<Uint8Array>
  /**
   * Returns the SHA-256 of the stored bytes. Returns undefined for an archive that is absent or was
   * set aside: only a new upload prevents the removal of such an archive.
   */
  readonly readContentHash: (name: BlobHash) => Promise<BlobHash | undefined>
}
