import type { RandomPort } from '../../ports/system.ts'
import type { BlobHash, EpochMs, StackId } from '../../records/ids.ts'
import type { StoreCall } from './store/methods/store-methods.ts'
import type { RenameResult } from './store/methods/rename-methods.ts'

/** The port for renaming stacks of the embedded store. AWS does not support renames. */
export interface StackRenames {
  /**
   * Moves a stack with its history and versions to `newId`. Publishes the converted state of the
   * stack, `snapshot`, as the version after `expected`. Publishes nothing for the `snapshot` ''.
   * The rename is atomic.
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
