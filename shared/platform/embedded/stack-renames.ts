import { hasCode } from '../../errors/error.ts'
import type { ArchivesPort } from '../../ports/records.ts'
import type { RandomPort } from '../../ports/system.ts'
import type { BlobHash, EpochMs, StackId } from '../../records/ids.ts'
import type { StoreCall } from './store/methods/store-methods.ts'
import type { RenameResult } from './store/methods/rename-methods.ts'

/** The port for renaming stacks of the embedded store. AWS does not support renames. */
export interface StackRenames {
  /**
   * Moves a stack with its history and versions to `newId`. Publishes the converted state of the
   * stack, `snapshot`, as the version after `expected`. Publishes nothing for the `snapshot` ''.
   * The program of the stack becomes an archive of the new stack. The rename is atomic.
   */
  readonly rename: (
    id: StackId,
    newId: StackId,
    input: { readonly expected: number; readonly snapshot: BlobHash | ''; readonly at: EpochMs },
  ) => Promise<RenameResult>
}

/** Dependencies of renames. */
interface StackRenamesDeps {
  readonly call: StoreCall
  readonly random: RandomPort
  readonly archives: ArchivesPort
}

/** Creates the renames of a store. */
export function createStackRenames(deps: StackRenamesDeps): StackRenames {
  const { call, random } = deps
  return {
    rename: async (id, newId, input) => {
      const program = await copyProgram(deps, id, newId)
      const token = random.uuid()
      return call('catalog.renameStack', { id, to: newId, ...input, program, token })
    },
  }
}

/**
 * Stores the archive of a stack's program also for another stack, because an archive belongs to one
 * stack. Returns the new name, or '' without a readable program.
 */
async function copyProgram(
  { call, archives }: StackRenamesDeps,
  id: StackId,
  newId: StackId,
): Promise<BlobHash | ''> {
  const name = await call('requests.program', { stack: id })
  if (name === null) return ''
  try {
    return await archives.put(newId, await archives.get(id, name as BlobHash))
  } catch (thrown) {
    if (hasCode(thrown, 'STATE_INVALID')) return ''
    throw thrown
  }
}
