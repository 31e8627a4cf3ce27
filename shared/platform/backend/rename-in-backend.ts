import { readCheckpoint, removeStackObjects, saveCheckpoint } from '../../backends/stack-objects.ts'
import { copyHistory, listHistoryKeys } from '../../backends/stack-history.ts'
import { readBackendTags, saveBackendTags } from '../../backends/backend-tags.ts'
import { hasCode } from '../../errors/error.ts'
import type { StackRenames } from '../../ports/stack-renames.ts'
import type { StackId } from '../../records/ids.ts'
import type { Holder } from '../../records/log.ts'
import type { HeldLocks } from './held-locks.ts'
import { printSnapshot } from './publish-to-backend.ts'
import type { RenameIntent, RenameIntents } from './rename-intents.ts'
import { emptySyncPoint } from './sync-points.ts'
import { sha256Of, type SyncDeps } from './sync-stack.ts'

/** The dependencies of renames. `catalog` and `renames` are those of this machine. */
export interface BackendRenameDeps extends SyncDeps {
  readonly locks: Pick<HeldLocks, 'acquire' | 'release'>
  readonly renames: StackRenames
  readonly intents: RenameIntents
  readonly holder: Holder
}

/**
 * Creates the renames of a backend over those of this machine. The backend gets the new checkpoint
 * before it loses the old one. After a crash in between it has both stacks, until the next command
 * of this machine completes the rename.
 */
export function createBackendRenames(deps: BackendRenameDeps): StackRenames {
  const { backend, renames, intents, holder } = deps
  return {
    rename: (id, newId, input) =>
      runWhileLocked(deps, [id, newId], async () => {
        if ((await readCheckpoint(backend, newId)) !== undefined) return 'exists'
        const { snapshot } = input
        const { pid, started } = holder
        const intent = { from: id, to: newId, snapshot, pid, started }
        const name = intents.add(intent)
        const result = await renames.rename(id, newId, input)
        if (result === 'renamed') await moveInBackend(deps, intent)
        intents.remove(name)
        return result
      }),
  }
}

/**
 * Completes the renames whose processes died. A rename is dropped if it changed nothing on this
 * machine, or if another client has changed its stack meanwhile. A rename of a locked stack waits
 * for a later command. `isAlive` reports whether a process of this machine runs.
 */
export async function completeRenames(
  deps: BackendRenameDeps & {
    readonly isAlive: (holder: Omit<Holder, 'who'>) => boolean | undefined
  },
): Promise<void> {
  const { backend, catalog, syncPoints, intents, holder } = deps
  for (const [name, intent] of intents.list()) {
    const { from, to, pid, started } = intent
    if (deps.isAlive({ host: holder.host, pid, started }) !== false) continue
    try {
      await runWhileLocked(deps, [from, to], async () => {
        const isRenamedHere = (await catalog.getStack(to)) !== undefined
        const object = await readCheckpoint(backend, from)
        if (isRenamedHere && object === undefined) await removeOldName(deps, from)
        else if (isRenamedHere && object !== undefined)
          if (sha256Of(object.bytes) === syncPoints.read(from).checkpoint)
            await moveInBackend(deps, intent)
      })
      intents.remove(name)
    } catch (thrown) {
      if (!hasCode(thrown, 'BACKEND_LOCKED')) throw thrown
    }
  }
}

async function runWhileLocked<T>(
  { locks }: Pick<BackendRenameDeps, 'locks'>,
  ids: readonly StackId[],
  run: () => Promise<T>,
): Promise<T> {
  const [id, ...otherIds] = ids
  if (id === undefined) return run()
  await locks.acquire(id)
  try {
    return await runWhileLocked({ locks }, otherIds, run)
  } finally {
    await locks.release(id)
  }
}

/** Writes the stack under its new id, with history and tags, and removes the old id. Repeatable. */
async function moveInBackend(
  deps: SyncDeps,
  { from, to, snapshot }: Pick<RenameIntent, 'from' | 'to' | 'snapshot'>,
): Promise<void> {
  const { backend, syncPoints } = deps
  const { checkpointFields } = syncPoints.read(from)
  const { checkpoint, base } = await printSnapshot(deps, to, { snapshot, checkpointFields })
  const bytes = await saveCheckpoint(backend, to, { checkpoint, previous: undefined })
  const checkpointHash = sha256Of(bytes)
  syncPoints.update(to, { ...emptySyncPoint, checkpoint: checkpointHash, checkpointFields, base })
  await copyHistory({ backend, id: from }, { backend, id: to })
  syncPoints.update(to, { lastEntry: (await listHistoryKeys(backend, to)).at(-1) ?? '' })
  // Pulumi's client 3.274.1 leaves the tags of a renamed stack under the old name.
  await saveBackendTags(backend, to, (await readBackendTags(backend, from))?.tags ?? {})
  await removeOldName(deps, from)
}

async function removeOldName({ backend, syncPoints }: SyncDeps, from: StackId): Promise<void> {
  await removeStackObjects(backend, from)
  syncPoints.remove(from)
}
