import type { BlobHash, DeploymentId, EpochMs, StackId } from '../records/ids.ts'
import type { LateOutcome } from '../records/late-outcome.ts'
import type { Command, DeploymentResult, Holder } from '../records/log.ts'

/** One stack of the catalog. */
export interface StackRecord {
  readonly id: StackId
  readonly createdAt: EpochMs
  /** The deployment that runs or was left, '' when none. */
  readonly current: DeploymentId | ''
  /** The published snapshot: version 0 and '' before the first. */
  readonly version: number
  readonly snapshot: BlobHash | ''
  /** Number of the last deployment. */
  readonly deployments: number
}

/** The stacks of a catalog: a record that cannot be read hides no other. */
export interface StackListing {
  readonly stacks: readonly StackRecord[]
  /** Stacks whose record cannot be read, each with its error: RECORD_DAMAGED, RECORD_TOO_NEW. */
  readonly unreadable: readonly UnreadableStack[]
}

/** A stack that is known by its id only. */
export interface UnreadableStack {
  readonly id: StackId
  readonly why: Error
}

/** A line of a stack's history. */
export interface HistoryRecord {
  readonly deployment: DeploymentId
  readonly command: Command | 'stack import' | 'stack rename' | 'state'
  readonly message: string
  readonly startedAt: EpochMs
  readonly endedAt?: EpochMs
  readonly result?: DeploymentResult
  /** Operations by kind, as in the summary. */
  readonly changes?: Readonly<Record<string, number>>
  /** The version that it published. */
  readonly version?: number
  /** Pending operations of an imported state that were dropped with it. */
  readonly dropped?: readonly PendingNote[]
}

/** A version of a stack's state that was published, and not removed since. */
export interface PublishedVersion {
  readonly version: number
  readonly snapshot: BlobHash
}

/** A pending operation by its resource, and what was being done to it. */
export interface PendingNote {
  readonly urn: string
  readonly type: string
}

/** Stacks, their deployments and their published snapshots. Each method is atomic. */
export interface CatalogPort {
  /** False when it exists. */
  readonly createStack: (id: StackId, at: EpochMs) => Promise<boolean>
  readonly getStack: (id: StackId) => Promise<StackRecord | undefined>
  /** By their ids, all or those of a project. */
  readonly listStacks: (project?: string) => Promise<StackListing>
  /** Removes a stack that runs nothing, with its history. False when a deployment is current. */
  readonly removeStack: (id: StackId) => Promise<boolean>
  /**
   * Starts the next deployment if none is current; answers its id, or the current one's. Puts its
   * history line.
   */
  readonly start: (
    id: StackId,
    input: {
      readonly command: HistoryRecord['command']
      readonly message: string
      readonly holder: Holder
      readonly at: EpochMs
    },
  ) => Promise<{ readonly kind: 'started' | 'busy'; readonly deployment: DeploymentId }>
  /**
   * Moves the snapshot pointer from `expected` to the next version; `already` when it is at this
   * blob from this version on.
   */
  readonly publish: (
    id: StackId,
    expected: number,
    snapshot: BlobHash,
  ) => Promise<{ readonly kind: 'published' | 'already' | 'conflict'; readonly version: number }>
  /** Ends the deployment in the history and clears `current`, if it is this one. */
  readonly release: (
    deployment: DeploymentId,
    end: {
      readonly at: EpochMs
      readonly result: DeploymentResult
      readonly changes: Readonly<Record<string, number>>
      readonly version: number
      readonly dropped?: readonly PendingNote[]
    },
  ) => Promise<void>
  /** Keeps a late outcome in the stack's inbox, once per attempt, unless it was taken already. */
  readonly putLate: (id: StackId, item: LateOutcome) => Promise<void>
  /** The inbox of a stack, oldest first, at most `limit`. */
  readonly listLate: (id: StackId, limit: number) => Promise<readonly LateOutcome[]>
  /**
   * Removes what a deployment took, by key, and for good: what is put under such a key later is
   * nothing. A deployment may have taken it from the outcome itself, before it was put here.
   */
  readonly removeLate: (id: StackId, keys: readonly string[]) => Promise<void>
  /** Keeps how long operations of a kind last took, in ms; the last one stands. */
  readonly noteSlow: (id: StackId, key: string, ms: number) => Promise<void>
  /** What was kept, at most 1,000 kinds. */
  readonly listSlow: (id: StackId) => Promise<ReadonlyMap<string, number>>
  /** Newest first; with `before` those of lower numbers only. */
  readonly listHistory: (
    id: StackId,
    limit: number,
    before?: number,
  ) => Promise<readonly HistoryRecord[]>
  /** Published versions of a stack, newest first; with `before` lower ones only. */
  readonly listVersions: (
    id: StackId,
    limit: number,
    before?: number,
  ) => Promise<readonly PublishedVersion[]>
}
