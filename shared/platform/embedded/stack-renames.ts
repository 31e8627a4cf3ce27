import type { RandomPort } from '../../ports/system.ts'
import type { BlobHash, EpochMs, StackId } from '../../records/ids.ts'
import type { StoreCall } from './store/methods/store-methods.ts'
import type { RenameResult } from './store/methods/rename-methods.ts'

/** Renames stacks of the embedded store. AWS does not support this. */
export interface StackRenames {
  /**
   * Moves a stack with its history and versions to `newId`. Publishes the converted state of the
   * stack (`snapshot`, '' for a stack without a state) as the version after `expected`. Atomic.
   */
  readonly rename: (
    id: StackId,
    newId: StackId,
    input: { readonly expected: number; readonly snapshot: BlobHash | ''; readonly at: EpochMs },
  ) => Promise<RenameResult>
}

/** Creates the renames of a store. */
export function createStackRenames(call: StoreCall, random: RandomPort): StackRenames {
  return {
    rename: (id, newId, input) =>
      call('catalog.renameStack', { id, to: newId, ...input, token: random.uuid() }),
  }
}
