import type { BlobHash, DeploymentId, EpochMs, StackId } from '../records/ids.ts'

/** A deployment whose records exist, and the facts that decide their removal. */
export interface RecordedDeployment {
  readonly deployment: DeploymentId
  /** Whether its control record is closed. Undefined without a control record. */
  readonly closed: boolean | undefined
  /** Whether it is an open deployment of its stack. */
  readonly isOpen: boolean
  /** The time at which the stack was released. Absent when the history does not contain it. */
  readonly endedAt?: EpochMs
  /** Whether the stack's history contains the deployment. A removed stack has no history. */
  readonly isInHistory: boolean
}

/** Removal of old records. Each call can be repeated, also after an interruption. */
export interface RetentionPort {
  /** Lists the deployments that have any record, ordered by id. */
  readonly listDeployments: () => Promise<readonly RecordedDeployment[]>
  /**
   * Removes about `recordsMax` records of a deployment, and returns false while some may remain.
   * The first log record is removed first, so that readers notice the removal. The control record
   * is removed last, so that an interrupted removal can be detected. Removes nothing and returns
   * true for a deployment that is open or has an unclosed control record.
   */
  readonly removeRecords: (deployment: DeploymentId, recordsMax: number) => Promise<boolean>
  /**
   * Removes the published versions of a stack up to and including `throughVersion`, but never the
   * current version.
   */
  readonly removeVersions: (stack: StackId, throughVersion: number) => Promise<void>
  /**
   * Removes the late outcomes of removed stacks, the durations of their slow operations, and the
   * entries of these stacks in lists of stacks.
   */
  readonly removeLeftovers: () => Promise<void>
  /**
   * Lists the hashes of all blobs that records reference, page by page. The cursor '' starts at the
   * first page. `next` is undefined at the end.
   */
  readonly listReferences: (
    cursor: string,
  ) => Promise<{ readonly hashes: readonly BlobHash[]; readonly next: string | undefined }>
}

/** A blob in the sweep's listing. */
export interface BlobEntry {
  readonly hash: BlobHash
  readonly sizeBytes: number
  /** The time when the blob was put or set aside. */
  readonly changedAtMs: EpochMs
  /** Whether the blob was set aside. Such a blob can still be read by its hash. */
  readonly isSetAside: boolean
}

/**
 * Removal of blobs in two steps with a grace period between the steps. A writer can put a blob
 * while a sweep finds the same blob unreferenced. A set-aside blob therefore remains readable. A
 * later sweep puts the blob back if a record references it.
 */
export interface BlobSweepPort {
  /**
   * Lists all blobs, one folder or prefix per page. The cursor '' starts at the first page. `next`
   * is undefined at the end.
   */
  readonly list: (
    cursor: string,
  ) => Promise<{ readonly blobs: readonly BlobEntry[]; readonly next: string | undefined }>
  readonly setAside: (hash: BlobHash, now: EpochMs) => Promise<void>
  readonly putBack: (hash: BlobHash) => Promise<void>
  /** Removes a blob that was set aside. A blob that was put again meanwhile stays. */
  readonly remove: (hash: BlobHash) => Promise<void>
  /**
   * Removes incomplete blobs that were last written at `writtenBefore` or earlier: their writers
   * have died. Returns their number and total size. With `dryRun`, the call removes nothing.
   */
  readonly removeUnfinished: (
    writtenBefore: EpochMs,
    dryRun: boolean,
  ) => Promise<{ readonly count: number; readonly bytes: number }>
}
