import type { BlobHash, EpochMs, StackId } from '../records/ids.ts'

/**
 * The result of a rename. `renamed`: this call or an earlier equal one renamed the stack.
 * `missing`: the stack does not exist. `exists`: the new id is in use. `busy`: a deployment is
 * current, or another request waits. `conflict`: the stack has another version than expected, or
 * was changed meanwhile.
 */
export type RenameResult = 'renamed' | 'missing' | 'exists' | 'busy' | 'conflict'

/** The content of a rename. */
export interface RenameInput {
  /** The version that was converted to the new state. */
  readonly expectedVersion: number
  /** The converted state, which is published as the next version. '': the stack has no state. */
  readonly snapshot: BlobHash | ''
  /** The archive of the program under the new id. '': the stack has no program. */
  readonly program: BlobHash | ''
  readonly at: EpochMs
  /** The requester, for the history. */
  readonly by?: string
  /** The key of the waiting request for the rename. The request ends as `renamed`. */
  readonly key?: string
  /**
   * Name of a schedule → the name of its calls at the external scheduler after the rename. Absent
   * on a platform without such a scheduler.
   */
  readonly placements?: Readonly<Record<string, string>>
}

/** The port that renames stacks. */
export interface StackRenames {
  /**
   * Moves a stack to `newId`, with its history, versions, inbox, program and documents, and records
   * the rename in the history. Other requests that have ended and the records of deployments keep
   * the old id. Atomic: after a crash the stack has one of the two ids, and all of its contents.
   */
  readonly rename: (id: StackId, newId: StackId, input: RenameInput) => Promise<RenameResult>
}
