import type { BlobHash, DeploymentId, EpochMs, StackId } from './ids.ts'
import type { DeploymentOptions } from './log.ts'

/**
 * Where the program of a request is: an archive of the blob store, what was last uploaded for the
 * stack, or the files of a repository at a commit.
 */
export type RequestedProgram =
  | { readonly kind: 'archive'; readonly archive: BlobHash }
  | { readonly kind: 'last' }
  | RepositoryProgram

/** A program as the files of a repository; a webhook says which host has it and who may read it. */
export interface RepositoryProgram {
  readonly kind: 'repository'
  /** `owner/name`. */
  readonly repository: string
  /** The full hash. */
  readonly commit: string
  /** Where in it the project file is; '' is its top. */
  readonly folder: string
  /** Name of the webhook whose credential reads it. */
  readonly webhook: string
}

/** What asked for something by itself, as far as it is told what came of it. */
export type RequestOrigin =
  | {
      readonly kind: 'webhook'
      readonly webhook: string
      readonly repository: string
      readonly commit: string
      readonly pullRequest?: number
      /** The branch, tag or pull request: a later request for it does for this one too. */
      readonly ref: string
    }
  /** A schedule; `remediate`: drift that is found is to be removed. */
  | { readonly kind: 'schedule'; readonly name: string; readonly remediate: boolean }
  /** A request that found drift. */
  | { readonly kind: 'remedy'; readonly of: string }

/** What somebody wants done with a stack: a deployment or preview that has not begun. */
export interface DeploymentRequest {
  readonly stack: StackId
  /** Names it among the requests of its stack: what asks a second time says the same. */
  readonly key: string
  readonly at: EpochMs
  /** Who asks, for people. */
  readonly by: string
  /** Only a preview. */
  readonly dryRun: boolean
  readonly options: DeploymentOptions
  readonly program: RequestedProgram
  readonly origin?: RequestOrigin
}

/** What a request came to. The first end stands. */
export type RequestEnd =
  | { readonly kind: 'started'; readonly deployment: DeploymentId }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | {
      readonly kind: 'previewed'
      readonly result: 'succeeded' | 'failed' | 'cancelled'
      /** Operations by kind, as in the summary. */
      readonly changes: Readonly<Record<string, number>>
      /** What went wrong, a few lines of it, without secrets. */
      readonly errors: readonly string[]
      /** Some of the resources of which something would change, by URN. */
      readonly urns?: readonly string[]
    }
  /** A later one of the same stack does all that it would have done. */
  | { readonly kind: 'superseded'; readonly by: string }

/** A request as it is kept. */
export interface KeptRequest {
  readonly request: DeploymentRequest
  readonly end?: RequestEnd
}
