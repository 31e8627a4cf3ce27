import type { EditReport, StateEdit } from '../state/edits/state-edit.ts'
import type { Forecast } from './forecast.ts'
import type { BlobHash, DeploymentId, EpochMs, StackId } from './ids.ts'
import type { DeploymentOptions } from './log.ts'

/**
 * The source of a request's program: an archive of the blob store, the last upload for the stack,
 * or a repository at a commit.
 */
export type RequestedProgram =
  | { readonly kind: 'archive'; readonly archive: BlobHash }
  | { readonly kind: 'last' }
  | RepositoryProgram

/** A program in a repository. The webhook's document defines the host and the read access. */
export interface RepositoryProgram {
  readonly kind: 'repository'
  /** `owner/name`. */
  readonly repository: string
  /** The full commit hash. */
  readonly commit: string
  /** The path of the project file's folder in the repository; '' is the root. */
  readonly folder: string
  /** Whether the package manager runs no scripts. Absent: it runs them. */
  readonly ignoreScripts?: boolean
  /** For a preview: whether it may use the role of deployments. Absent: no. */
  readonly previewWithDeployRole?: boolean
  /** Name of the webhook whose credential can read the repository. */
  readonly webhook: string
}

/** A change that a webhook received. */
export interface WebhookOrigin {
  readonly kind: 'webhook'
  readonly webhook: string
  readonly repository: string
  readonly commit: string
  readonly pullRequest?: number
  /** The branch, tag or pull request. A later request for the same ref replaces this request. */
  readonly ref: string
}

/** The automatic origin of a request: a webhook, a schedule, or a request that detected drift. */
export type RequestOrigin =
  | WebhookOrigin
  /** `remediate`: whether detected drift is removed. */
  | {
      readonly kind: 'schedule'
      readonly name: string
      readonly remediate: boolean
      /**
       * For a schedule of several stacks: within this time after a read of the stack, the run is
       * refused. 0: never.
       */
      readonly shared?: { readonly skipReadWithinMs: number }
    }
  /** `of`: the key of the request that detected the drift. */
  | { readonly kind: 'remedy'; readonly of: string }

/** The fields of every request. */
interface RequestFields {
  readonly stack: StackId
  /** Unique among the requests of the stack. A repeated request has the same key. */
  readonly key: string
  readonly at: EpochMs
  /** The requester, for display. */
  readonly by: string
  /** The id of the requester's token. Absent for requests of triggers and of older versions. */
  readonly token?: string
}

/**
 * A stored request for one deployment or preview of a stack. A generator fetches its program, and
 * runs the request as a `DeployInput` of the engine.
 */
export interface DeploymentRequest extends RequestFields {
  /** True for a preview. */
  readonly dryRun: boolean
  readonly options: DeploymentOptions
  readonly program: RequestedProgram
  readonly origin?: RequestOrigin
}

/**
 * The rename of a stack to the id `to`. `placements` maps the name of each schedule to the name
 * that the external scheduler uses after the rename. Empty without such a scheduler.
 */
export interface StackRename {
  readonly kind: 'rename stack'
  readonly to: StackId
  readonly placements: Readonly<Record<string, string>>
}

/** A request for one edit of the state of a stack, or for its rename. */
export interface EditRequest extends RequestFields {
  readonly edit: StateEdit | StackRename
}

/** A request in the queue of a stack. */
export type StackRequest = DeploymentRequest | EditRequest

/** Reports whether a request is for an edit. */
export function isEditRequest(request: StackRequest): request is EditRequest {
  return 'edit' in request
}

/** Returns the command of an edit, as the history shows it. */
export function commandOfEdit({
  kind,
}: EditRequest['edit']): 'stack import' | 'stack rename' | 'state' {
  if (kind === 'rename stack') return 'stack rename'
  return kind === 'import' ? 'stack import' : 'state'
}

/** The report of an edit, and the version that it publishes. */
export interface EditEnd extends EditReport {
  readonly version: number
}

/**
 * The approval for which a previewed request waits. The hashes keep the plan and the program in the
 * store until the record of the request is removed.
 */
export interface WaitingApproval {
  readonly expiresAt: EpochMs
  readonly plan: BlobHash
  readonly archive?: BlobHash
}

/** The end of a request. Only the first end counts. */
export type RequestEnd =
  /**
   * `edit`: the report of an edit. The edit has succeeded if its deployment ends with the version
   * in the report.
   */
  | { readonly kind: 'started'; readonly deployment: DeploymentId; readonly edit?: EditEnd }
  /** The stack has the new id `to`. */
  | { readonly kind: 'renamed'; readonly to: StackId }
  | {
      readonly kind: 'refused'
      readonly code: string
      readonly message: string
      /** The next step for the user. Absent if the error catalogue has it, and in older records. */
      readonly hint?: string
    }
  | {
      readonly kind: 'previewed'
      readonly result: 'succeeded' | 'failed' | 'cancelled'
      /** The time at which the preview began. Absent in records of older versions. */
      readonly startedAt?: EpochMs
      /**
       * The number of step results, without those of components and providers. Absent in older
       * records.
       */
      readonly resourceCount?: number
      /** Numbers of operations by kind, as in the summary. */
      readonly changes: Readonly<Record<string, number>>
      /** Error messages, a few lines without secrets. */
      readonly errors: readonly string[]
      /** URNs of some resources that would change. */
      readonly urns?: readonly string[]
      /** Absent if it is too large for a record, and in records of older versions. */
      readonly forecast?: Forecast
      /** The approval for which the deployment waits. Absent for a preview. */
      readonly approval?: WaitingApproval
    }
  /** A later request of the same stack covers this one. `by`: the key of the later request. */
  | { readonly kind: 'superseded'; readonly by: string }

/** A stored request. */
export interface RequestRecord {
  readonly request: StackRequest
  readonly end?: RequestEnd
}
