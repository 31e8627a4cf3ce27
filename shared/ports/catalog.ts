import type { PlanApproval } from '../records/approval-options.ts'
import type { BlobHash, DeploymentId, EpochMs, StackId } from '../records/ids.ts'
import type { LateOutcome } from '../records/late-outcome.ts'
import type { Command, DeploymentResult } from '../records/log.ts'
import type { Json } from '../state/stored.ts'

/** A stack of the catalog. */
export interface StackRecord {
  readonly id: StackId
  readonly createdAt: EpochMs
  /**
   * The deployment that is running or was interrupted, '' when none. If several targeted
   * deployments are open, this is the oldest of them.
   */
  readonly current: DeploymentId | ''
  /**
   * The open targeted deployments, oldest first, at most `limits.openDeploymentsMax`. Absent if
   * none is open, as during a deployment of the whole stack.
   */
  readonly targeted?: readonly TargetedDeployment[]
  /** The version of the last published snapshot. 0 before the first publication. */
  readonly version: number
  /** The blob of the last published snapshot. '' before the first publication. */
  readonly snapshot: BlobHash | ''
  /** Number of the last deployment. 0 before the first one. */
  readonly deployments: number
}

/** An open targeted deployment, with the blob of the resources that it claims. */
export interface TargetedDeployment {
  readonly deployment: DeploymentId
  readonly claim: BlobHash
  /** The id of the call that started it, by which a repetition of the call finds the deployment. */
  readonly token: string
  /**
   * The snapshot with the changes of this deployment, so that a repeated close does not publish
   * them again. Absent before the publication.
   */
  readonly published?: PublishedVersion
}

/**
 * The version and the targeted deployments that a stack had when a claim was compared with them.
 */
export type ClaimBasis = Pick<StackRecord, 'version' | 'targeted'>

/** The stacks of a catalog. An unreadable record does not hide the other stacks. */
export interface StackListing {
  readonly stacks: readonly StackRecord[]
  /** Stacks with an unreadable record, each with its error: RECORD_DAMAGED, RECORD_TOO_NEW. */
  readonly unreadable: readonly UnreadableStack[]
}

/** A stack of which only the id is known. */
export interface UnreadableStack {
  readonly id: StackId
  readonly reason: Error
}

/** An entry of a stack's history. */
export interface HistoryRecord {
  readonly deployment: DeploymentId
  /** The command of the deployment. `state`: an edit of the state, such as `state delete`. */
  readonly command: Command | 'stack import' | 'stack rename' | 'state'
  readonly message: string
  /** The requester, for display: a token, trigger or user. Absent in entries of older versions. */
  readonly by?: string
  /** The approval of the plan that the deployment applied, if it needed one. */
  readonly approval?: Omit<PlanApproval, 'of'>
  readonly startedAt: EpochMs
  /** Absent while the deployment is open, like `result`. */
  readonly endedAt?: EpochMs
  readonly result?: DeploymentResult
  /** Numbers of operations by kind, as in the summary of the deployment. */
  readonly changes?: Readonly<Record<string, number>>
  /** The stack's version at the end of the deployment, even if the deployment published none. */
  readonly version?: number
  /**
   * Only in an entry of a self-managed backend: the environment that its client recorded, such as
   * `git.head`.
   */
  readonly environment?: Readonly<Record<string, string>>
  /**
   * Only in an entry that the command line of this machine or a client of a self-managed backend
   * wrote: the configuration. `ns:name` → text, `{ secure }` or an object. Its secrets are
   * encrypted.
   */
  readonly config?: Readonly<Record<string, Json>>
  /** Pending operations that a state import dropped from the imported state. */
  readonly dropped?: readonly PendingOperationSummary[]
}

/** A published version of a stack's state that still exists. */
export interface PublishedVersion {
  readonly version: number
  readonly snapshot: BlobHash
}

/** A pending operation: the URN of its resource, and the type of the operation. */
export interface PendingOperationSummary {
  readonly urn: string
  readonly type: string
}

/** The start of a deployment, as its entry of the history records it. */
export interface DeploymentStart
  extends Pick<
    HistoryRecord,
    'command' | 'message' | 'by' | 'approval' | 'environment' | 'config'
  > {
  readonly at: EpochMs
}

/** The values of a stack that differ after a deployment, or after a removal and a new creation. */
export type StackIdentity = Pick<StackRecord, 'deployments' | 'createdAt'>

/** Stacks, their deployments and their published snapshots. Each change of a stack is atomic. */
export interface CatalogPort {
  /**
   * Creates a stack. Returns false when it already exists, or a concurrent creation or rename takes
   * its id.
   */
  readonly createStack: (id: StackId, createdAt: EpochMs) => Promise<boolean>
  readonly getStack: (id: StackId) => Promise<StackRecord | undefined>
  /** Lists all stacks, or those of a project, ordered by id. */
  readonly listStacks: (project?: string) => Promise<StackListing>
  /**
   * Removes a stack with its history. Returns false while a deployment is current, and otherwise
   * true, even if the stack does not exist. Throws RECORD_DAMAGED and RECORD_TOO_NEW if the record
   * of the stack, of a deployment in its history or of a version is unreadable. Then it removes
   * nothing. With `expected`, it returns false for a stack with other values.
   */
  readonly removeStack: (id: StackId, expected?: StackIdentity) => Promise<boolean>
  /**
   * Starts the next deployment if none is current, and adds its history entry. Returns `started`
   * with the new id, or `busy` with the id of the current deployment. Throws STACK_NOT_FOUND.
   */
  readonly start: (
    id: StackId,
    input: DeploymentStart,
  ) => Promise<{ readonly kind: 'started' | 'busy'; readonly deployment: DeploymentId }>
  /**
   * Starts a targeted deployment beside the other targeted ones, if version and targeted
   * deployments of the stack are as in `expected`. Returns `busy` with the current deployment
   * during a deployment of the whole stack, or when `limits.openDeploymentsMax` deployments are
   * open. Returns `changed`, and starts nothing, if the stack is not as in `expected`. Throws
   * STACK_NOT_FOUND.
   */
  readonly startTargeted: (
    id: StackId,
    input: DeploymentStart,
    claim: { readonly claim: BlobHash; readonly expected: ClaimBasis },
  ) => Promise<
    | { readonly kind: 'started' | 'busy'; readonly deployment: DeploymentId }
    | { readonly kind: 'changed' }
  >
  /**
   * Replaces the claim of an open targeted deployment, if version and targeted deployments of its
   * stack are as in `expected`. Returns true if the deployment has the claim afterwards, also if it
   * already had the claim before.
   */
  readonly extendClaim: (
    deployment: DeploymentId,
    claim: BlobHash,
    expected: ClaimBasis,
  ) => Promise<boolean>
  /**
   * Publishes a snapshot as the version after `expectedVersion`. Returns `already-published` when
   * that version is published with the same blob. Returns `conflict` when the stack has any other
   * version. If `publisher` is an open targeted deployment, the stack also records that the
   * snapshot has the changes of `publisher`. Throws STACK_NOT_FOUND.
   */
  readonly publish: (
    id: StackId,
    expectedVersion: number,
    snapshot: BlobHash,
    publisher?: DeploymentId,
  ) => Promise<{
    readonly kind: 'published' | 'already-published' | 'conflict'
    readonly version: number
  }>
  /**
   * Records the end of an open deployment in the history, and removes the deployment from the
   * stack. The oldest remaining targeted deployment, if any, becomes the current one. Has no effect
   * when the deployment is not open.
   */
  readonly release: (
    deployment: DeploymentId,
    end: {
      readonly at: EpochMs
      readonly result: DeploymentResult
      readonly changes: Readonly<Record<string, number>>
      readonly version: number
      readonly dropped?: readonly PendingOperationSummary[]
      /**
       * Whether the deployment ended before its pin, for example because its base was refused. It
       * then gets no entry in the history of a backend. Stores do not record this.
       */
      readonly isUnpinned?: boolean
    },
  ) => Promise<void>
  /**
   * Stores a late outcome in the stack's inbox, once per attempt, unless a deployment already took
   * it.
   */
  readonly putLateOutcome: (id: StackId, lateOutcome: LateOutcome) => Promise<void>
  /** Returns at most `limit` entries of a stack's inbox, oldest first. */
  readonly listLateOutcomes: (id: StackId, limit: number) => Promise<readonly LateOutcome[]>
  /**
   * Permanently removes the outcomes that a deployment took, by key. A later put with such a key is
   * ignored, because a deployment may take an outcome before an executor puts it into the inbox.
   */
  readonly removeLateOutcomes: (id: StackId, keys: readonly string[]) => Promise<void>
  /**
   * Stores the duration of slow operations of the kind `key`, in place of an earlier duration. A
   * kind is a provider call and a resource type, such as `create aws:s3/bucket:Bucket`.
   */
  readonly recordSlowOperation: (id: StackId, key: string, durationMs: number) => Promise<void>
  /** Returns the stored durations in ms by kind, at most 1,000 kinds. */
  readonly listSlowOperations: (id: StackId) => Promise<ReadonlyMap<string, number>>
  /**
   * Lists the history, newest first. `beforeNumber` limits the list to lower deployment numbers.
   */
  readonly listHistory: (
    id: StackId,
    limit: number,
    beforeNumber?: number,
  ) => Promise<readonly HistoryRecord[]>
  /**
   * Lists the published versions of a stack, newest first. `beforeVersion` limits the list to lower
   * versions.
   */
  readonly listVersions: (
    id: StackId,
    limit: number,
    beforeVersion?: number,
  ) => Promise<readonly PublishedVersion[]>
}
