import type { BlobHash, DeploymentId, EpochMs, StackId } from '../records/ids.ts'

/** A deployment of which records are there, and what its removal is decided by. */
export interface KeptDeployment {
  readonly deployment: DeploymentId
  /** What its control record says; undefined when it has none (any more). */
  readonly closed: boolean | undefined
  /** Whether its stack names it as the one that runs or was left. */
  readonly isCurrent: boolean
  /** When it was released; absent when the history does not say, or has it no more. */
  readonly endedAt?: EpochMs
  /** Whether the history of its stack has it: that of a stack that was removed is gone. */
  readonly isInHistory: boolean
}

/** Removal of what has served its time. Each call may be repeated, and stop anywhere. */
export interface RetentionPort {
  /** The deployments of which any record is there, in order of their ids. */
  readonly listDeployments: () => Promise<readonly KeptDeployment[]>
  /**
   * Removes at most `rows` records of a deployment; false while some are left. The first record of
   * the log goes first, so that a reader can tell; the control record goes last, so that a removal
   * that was interrupted is known. Removes nothing of a deployment that is current or has a control
   * record that is not closed, and answers true.
   */
  readonly removeRecords: (deployment: DeploymentId, rows: number) => Promise<boolean>
  /** Removes the published versions of a stack up to and with `through`, never the current one. */
  readonly removeVersions: (stack: StackId, through: number) => Promise<void>
  /** Every hash that any record names, a page at a time; '' begins, undefined is the end. */
  readonly listReferences: (
    cursor: string,
  ) => Promise<{ readonly hashes: readonly BlobHash[]; readonly next: string | undefined }>
}

/** A blob as the sweep sees it. */
export interface BlobEntry {
  readonly hash: BlobHash
  readonly bytes: number
  /** When it was put, or set aside. */
  readonly at: EpochMs
  /** A blob that was set aside is still found by its hash. */
  readonly isAside: boolean
}

/**
 * Removal of blobs in two steps, a grace time apart, because a writer may put bytes that are there
 * already at the moment in which they are found to be unused: what was set aside is read as before,
 * and is put back when a later mark finds it used.
 */
export interface BlobSweepPort {
  /** All blobs, in pages of one folder or prefix; '' begins, undefined is the end. */
  readonly list: (
    cursor: string,
  ) => Promise<{ readonly blobs: readonly BlobEntry[]; readonly next: string | undefined }>
  readonly setAside: (hash: BlobHash, now: EpochMs) => Promise<void>
  readonly putBack: (hash: BlobHash) => Promise<void>
  /** Removes a blob that was set aside; one that was put again meanwhile stays. */
  readonly remove: (hash: BlobHash) => Promise<void>
  /**
   * Removes what writers left that died before their blob was whole, and that nobody has written to
   * since `before`; with `dryRun` it only tells what that is.
   */
  readonly removeUnfinished: (
    before: EpochMs,
    dryRun: boolean,
  ) => Promise<{ readonly count: number; readonly bytes: number }>
}
