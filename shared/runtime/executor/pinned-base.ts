import { type Base, createBase } from '../../engine/deployment/state/base.ts'
import type { Pin } from '../../engine/deployment/log/log-view.ts'
import { readSnapshotBlob } from '../../engine/deployment/state/read-snapshot-blob.ts'
import { decodeSnapshot } from '../../state/snapshot-codec.ts'
import type { RunEnvironment } from '../environment/run-environment.ts'
import type { RunInput } from '../environment/run-input.ts'

/**
 * Returns the base of a pin. Operations of one message request the base concurrently, so it is read
 * and decoded once for all of them, and cached. A base of an earlier epoch, whose read ends late,
 * does not replace the cached one. Throws the errors of the blob store.
 */
export async function openPinnedBase(
  input: Pick<RunInput, 'request'> & { readonly platform: Pick<RunInput['platform'], 'blobs'> },
  providerStateSources: RunEnvironment['providerStateSources'],
  pin: Pick<Pin, 'base' | 'epoch'>,
): Promise<Base> {
  const { epoch } = pin
  const { currentBase, pendingBase } = providerStateSources
  if (currentBase?.epoch === epoch) return currentBase
  if (pendingBase?.epoch === epoch) return pendingBase.base
  const startedRead = { epoch, base: readBase(input, pin) }
  providerStateSources.pendingBase = startedRead
  try {
    const base = await startedRead.base
    const cachedEpoch = providerStateSources.currentBase?.epoch ?? epoch
    if (epoch >= cachedEpoch) providerStateSources.currentBase = base
    return base
  } finally {
    if (providerStateSources.pendingBase === startedRead)
      providerStateSources.pendingBase = undefined
  }
}

async function readBase(
  { platform, request }: Parameters<typeof openPinnedBase>[0],
  { base, epoch }: Pick<Pin, 'base' | 'epoch'>,
): Promise<Base> {
  const stored = await readSnapshotBlob(platform.blobs, base)
  return createBase(await decodeSnapshot(stored, request.secrets), epoch)
}
