import { stackKeysOf } from '../../backends/backend-keys.ts'
import { printEmptyCheckpoint } from '../../backends/checkpoint-file.ts'
import {
  readStackObject,
  removeStackObjects,
  saveCheckpoint,
} from '../../backends/stack-objects.ts'
import type { StackRenames } from '../../ports/stack-renames.ts'
import type { StackId } from '../../records/ids.ts'
import type { HeldLocks } from './held-locks.ts'
import { publishToBackend } from './publish-to-backend.ts'
import { checkpointDigestOf, type SyncDeps } from './sync-stack.ts'

/**
 * Creates the renames of a backend over those of this machine. The backend gets the new checkpoint
 * before it loses the old one. After a crash in between it has both stacks.
 */
export function createBackendRenames(
  deps: SyncDeps & { readonly locks: HeldLocks; readonly renames: StackRenames },
): StackRenames {
  const { backend, locks, renames } = deps
  return {
    rename: async (id, newId, input) => {
      await locks.acquire(id)
      try {
        await locks.acquire(newId)
        try {
          if ((await readStackObject(backend, newId)) !== undefined) return 'exists'
          const result = await renames.rename(id, newId, input)
          if (result === 'renamed') await moveInBackend(deps, { id, newId, input })
          return result
        } finally {
          await locks.release(newId)
        }
      } finally {
        await locks.release(id)
      }
    },
  }
}

/** Writes the stack under its new id, moves its history, and removes the old id. */
async function moveInBackend(
  deps: SyncDeps,
  {
    id,
    newId,
    input,
  }: {
    readonly id: StackId
    readonly newId: StackId
    readonly input: Parameters<StackRenames['rename']>[2]
  },
): Promise<void> {
  const { backend, marks } = deps
  const { store, layout } = backend
  const oldKeys = stackKeysOf(layout, id)
  const newKeys = stackKeysOf(layout, newId)
  const checkpoint = printEmptyCheckpoint(newKeys.qualifiedName)
  const bytes = await saveCheckpoint(backend, newId, { checkpoint, previous: undefined })
  marks.update(newId, { checkpoint: checkpointDigestOf(bytes), base: '', lastEntry: '' })
  if (input.snapshot !== '') await publishToBackend(deps, newId, input.snapshot)
  const start = `${oldKeys.history}${oldKeys.fileName}-`
  for (const { key } of await store.list(start)) {
    const entry = await store.get(key)
    const newKey = `${newKeys.history}${newKeys.fileName}-${key.slice(start.length)}`
    if (entry !== undefined) await store.put(newKey, entry)
    if (newKey.includes('.history.')) marks.update(newId, { lastEntry: newKey })
  }
  await removeStackObjects(backend, id)
  marks.remove(id)
}
