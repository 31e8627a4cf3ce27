import type { BlobHash, DeploymentId, EpochMs, StackId } from './ids.ts'
import type { DeploymentOptions } from './log.ts'

/**
 * Where the program of a request is: an archive of the blob store, or what was last uploaded for
 * the stack.
 */
export type RequestedProgram =
  | { readonly kind: 'archive'; readonly archive: BlobHash }
  | { readonly kind: 'last' }

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
    }
  /** A later one of the same stack does all that it would have done. */
  | { readonly kind: 'superseded'; readonly by: string }

/** A request as it is kept. */
export interface KeptRequest {
  readonly request: DeploymentRequest
  readonly end?: RequestEnd
}
