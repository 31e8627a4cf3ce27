import type { RandomPort } from '../../ports/system.ts'
import type { BlobHash, EpochMs, StackId } from '../../records/ids.ts'
import type { StoreCall } from './store/methods.ts'
import type { Renaming } from './store/rename-methods.ts'

/** Renames stacks of the embedded store; AWS has no such thing. */
export interface Renames {
  /**
   * Moves a stack to another id, with its history and versions, and publishes its state in the new
   * form (`snapshot`, '' for a stack that never ran) as the version after `expected`. Atomic.
   */
  readonly rename: (
    id: StackId,
    to: StackId,
    about: { readonly expected: number; readonly snapshot: BlobHash | ''; readonly at: EpochMs },
  ) => Promise<Renaming>
}

/** The renames of a store. */
export function createRenames(call: StoreCall, random: RandomPort): Renames {
  return {
    rename: (id, to, about) =>
      call('catalog.renameStack', { id, to, ...about, token: random.uuid() }),
  }
}
