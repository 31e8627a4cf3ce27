import type { BlobHash, EpochMs, StackId } from '../records/ids.ts'
import type { StackRequest, RequestRecord, RequestEnd } from '../records/stack-request.ts'

/**
 * The queue of a stack's requests. A request waits in the queue until it has ended. The store keeps
 * its key for some time after that, so that a repeated request has no effect.
 */
export interface RequestsPort {
  /**
   * Adds a request to its stack's queue. Returns false when a different request has the same key,
   * even if that request has ended. A repetition returns true. Throws CLI_USAGE for a request that
   * is too large.
   */
  readonly put: (request: StackRequest) => Promise<boolean>
  /**
   * Puts a request like `put`, and approves it. An approved request may name any archive of its
   * stack, so the caller must have checked the permission of the user. One atomic write adds the
   * request and the approval. A request that `put` added before stays unapproved.
   */
  readonly putAuthorized: (request: StackRequest) => Promise<boolean>
  /**
   * Reports whether exactly this request was approved and has not ended. Always true on a platform
   * where each process that can put a request has all permissions anyway.
   */
  readonly isApproved: (request: StackRequest) => Promise<boolean>
  /** Returns at most `limit` requests of a stack that have not ended, oldest first. */
  readonly listWaiting: (stack: StackId, limit: number) => Promise<readonly StackRequest[]>
  readonly find: (stack: StackId, key: string) => Promise<RequestRecord | undefined>
  /** Ends a request. Later ends have no effect. Returns false when the key does not exist. */
  readonly end: (stack: StackId, key: string, end: RequestEnd) => Promise<boolean>
  /**
   * Removes at most `limit` requests that have ended and were created before `createdBefore`.
   * Returns the number of removed requests.
   */
  readonly removeEnded: (createdBefore: EpochMs, limit: number) => Promise<number>
  /**
   * Records the archive of the last program of a stack: an upload, or the packed program of an `up`
   * from a repository.
   */
  readonly putProgram: (stack: StackId, archive: BlobHash) => Promise<void>
  readonly getProgram: (stack: StackId) => Promise<BlobHash | undefined>
}
