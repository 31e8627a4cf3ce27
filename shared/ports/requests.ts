import type { BlobHash, EpochMs, StackId } from '../records/ids.ts'
import type { DeploymentRequest, KeptRequest, RequestEnd } from '../records/request.ts'

/**
 * The queue of a stack: what is to be deployed when nothing else is. A request stays until it has
 * ended, and its key some time longer, so that asking twice is asking once.
 */
export interface RequestsPort {
  /** Puts a request at the end of its stack's queue; false when its key is there, also ended. */
  readonly put: (request: DeploymentRequest) => Promise<boolean>
  /** Those of a stack that have not ended, oldest first, at most `limit`. */
  readonly listWaiting: (stack: StackId, limit: number) => Promise<readonly DeploymentRequest[]>
  readonly find: (stack: StackId, key: string) => Promise<KeptRequest | undefined>
  /** Ends a request; the first end stands. False when there is none of that key. */
  readonly end: (stack: StackId, key: string, end: RequestEnd) => Promise<boolean>
  /** Forgets requests that ended and were made before a time, at most so many; answers how many. */
  readonly forget: (before: EpochMs, limit: number) => Promise<number>
  /** Keeps an archive as the one that was last uploaded for a stack. */
  readonly putProgram: (stack: StackId, archive: BlobHash) => Promise<void>
  readonly getProgram: (stack: StackId) => Promise<BlobHash | undefined>
}
