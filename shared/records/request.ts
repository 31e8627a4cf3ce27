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
  /** The path of the project file's folder; '' is the top. */
  readonly folder: string
  /** Name of the webhook whose credential can read the repository. */
  readonly webhook: string
}

/** The automatic origin of a request: a webhook, a schedule, or a request that detected drift. */
export type RequestOrigin =
  | {
      readonly kind: 'webhook'
      readonly webhook: string
      readonly repository: string
      readonly commit: string
      readonly pullRequest?: number
      /**
       * The branch, tag or pull request. A later request for the same ref replaces this request.
       */
      readonly ref: string
    }
  /** A schedule; `remediate`: removes detected drift. */
  | { readonly kind: 'schedule'; readonly name: string; readonly remediate: boolean }
  /** A request that detected drift. */
  | { readonly kind: 'remedy'; readonly of: string }

/** A request for one deployment or preview of a stack. */
export interface DeploymentRequest {
  readonly stack: StackId
  /** Unique among the requests of the stack. A repeated request has the same key. */
  readonly key: string
  readonly at: EpochMs
  /** The requester, for display. */
  readonly by: string
  /** True for a preview. */
  readonly dryRun: boolean
  readonly options: DeploymentOptions
  readonly program: RequestedProgram
  readonly origin?: RequestOrigin
}

/** The end of a request. Only the first end counts. */
export type RequestEnd =
  | { readonly kind: 'started'; readonly deployment: DeploymentId }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | {
      readonly kind: 'previewed'
      readonly result: 'succeeded' | 'failed' | 'cancelled'
      /** Numbers of operations by kind, as in the summary. */
      readonly changes: Readonly<Record<string, number>>
      /** Error messages, a few lines without secrets. */
      readonly errors: readonly string[]
      /** URNs of some resources that would change. */
      readonly urns?: readonly string[]
    }
  /** A later request of the same stack covers this one. */
  | { readonly kind: 'superseded'; readonly by: string }

/** A stored request. */
export interface RequestRecord {
  readonly request: DeploymentRequest
  readonly end?: RequestEnd
}
