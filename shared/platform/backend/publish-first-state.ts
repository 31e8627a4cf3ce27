import type { StackId } from '../../records/ids.ts'
import { printStateBlob } from '../../state/print-envelope.ts'
import { envelopeOf } from '../../state/snapshot-codec.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import type { HeldLocks } from './held-locks.ts'
import { publishToBackend } from './publish-to-backend.ts'
import { type SyncDeps, syncStack } from './sync-stack.ts'

/**
 * Writes the first state of a new stack, as Pulumi's `stack init` does. This state names the
 * secrets manager of the stack. A stack that has got a state meanwhile stays unchanged. Throws
 * BACKEND_LOCKED, BACKEND_CHANGED.
 */
export async function publishFirstState(
  deps: SyncDeps & { readonly locks: Pick<HeldLocks, 'acquire' | 'release'> },
  id: StackId,
  state: StoredDeployment,
): Promise<void> {
  const { catalog, blobs, locks } = deps
  await locks.acquire(id)
  try {
    const record = await syncStack(deps, id)
    if (record === undefined || record.snapshot !== '' || record.current !== '') return
    const snapshot = await blobs.put(await printStateBlob(await envelopeOf(state)))
    const published = await catalog.publish(id, record.version, snapshot)
    if (published.kind !== 'conflict') await publishToBackend(deps, id, snapshot)
  } finally {
    await locks.release(id)
  }
}
