import type { BlobHash, DeploymentId, EpochMs, StackId } from '../records/ids.ts'

/** A deployment with existing records, and the facts that decide their removal. */
export interface KeptDeployment {
  readonly deployment: DeploymentId
  /** `closed` of its control record. Undefined without a control record. */
  readonly closed: boolean | undefined
  /** Whether it is the current deployment of its stack. */
  readonly isCurrent: boolean
  /** The release time. Absent when the history does not contain it. */
  readonly endedAt?: EpochMs
  /** Whether the stack's history contains it. A removed stack has no history. */
  readonly isInHistory: boolean
}

/** Removal of old records. Each call can be repeated, and can stop anywhere. */
export interface RetentionPort {
  /** Lists the deployments that have any record, ordered by id. */
  readonly listDeployments: () => Promise<readonly KeptDeployment[]>
  /**
   * Removes at most `rows` records of a deployment, and returns false while some are left. The
   * first log record is removed first, so that readers notice. The control record is removed last,
   * so that an interrupted removal can be detected. For a deployment that is current or has an
   * unclosed control record, it removes nothing and returns true.
   */
  readonly removeRecords: (deployment: DeploymentId, rows: number) => Promise<boolean>
  /**
   * Removes the published versions of a stack up to and including `through`, never the current one.
   */
  readonly removeVersions: (stack: StackId, through: number) => Promise<void>
  /** Lists every hash in any record, page by page. The cursor '' starts, undefined is the end. */
  readonly listReferences: (
    cursor: string,
  ) => Promise<{ readonly hashes: readonly BlobHash[]; readonly next: string | undefined }>
}

/** A blob in the sweep's listing. */
export interface BlobEntry {
  readonly hash: BlobHash
  readonly bytes: number
  /** The time when it was put or set aside. */
  readonly at: EpochMs
  /** Whether it was set aside. Such a blob can still be read by its hash. */
  readonly isAside: boolean
}

/**
 * Removal of blobs in two steps with a grace period between them. A writer may put existing bytes
 * at the moment in which they are found unused. A blob that was set aside remains readable, and is
 * put back if a later mark finds it used.
 */
export interface BlobSweepPort {
  /** Lists all blobs, one folder or prefix per page. The cursor '' starts, undefined is the end. */
  readonly list: (
    cursor: string,
  ) => Promise<{ readonly blobs: readonly BlobEntry[]; readonly next: string | undefined }>
  readonly setAside: (hash: BlobHash, now: EpochMs) => Promise<void>
  readonly putBack: (hash: BlobHash) => Promise<void>
  /** Removes a blob that was set aside. A blob that was put again meanwhile stays. */
  readonly remove: (hash: BlobHash) => Promise<void>
  /**
   * Removes incomplete blobs of writers that died, if they were not written to since `before`. With
   * `dryRun` it only reports them.
   */
  readonly removeUnfinished: (
    before: EpochMs,
    dryRun: boolean,
  ) => Promise<{ readonly count: number; readonly bytes: number }>
}
