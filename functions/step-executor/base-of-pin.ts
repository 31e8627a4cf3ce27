import { type Base, baseOf } from '../../shared/engine/deployment/base.ts'
import type { Pin } from '../../shared/engine/deployment/log-view.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/snapshot-blob.ts'
import { decodeSnapshot } from '../../shared/state/deployment.ts'
import type { Asked, Surroundings } from '../surroundings/surround.ts'

/**
 * The base of a pin. Operations of one message ask at once: it is read and decoded for all of them
 * together, and kept. Throws what the blob store throws.
 */
export async function baseOfPin(
  asked: Pick<Asked, 'request'> & { readonly platform: Pick<Asked['platform'], 'blobs'> },
  baseNow: Surroundings['baseNow'],
  pin: Pick<Pin, 'base' | 'epoch'>,
): Promise<Base> {
  const { epoch } = pin
  const { current, opening } = baseNow
  if (current?.epoch === epoch) return current
  if (opening?.epoch === epoch) return opening.base
  const base = openBase(asked, pin)
  baseNow.opening = { epoch, base }
  try {
    baseNow.current = await base
    return baseNow.current
  } finally {
    baseNow.opening = undefined
  }
}

async function openBase(
  { platform, request }: Parameters<typeof baseOfPin>[0],
  { base, epoch }: Pick<Pin, 'base' | 'epoch'>,
): Promise<Base> {
  const stored = await readSnapshotBlob(platform.blobs, base)
  return baseOf(decodeSnapshot(stored, request.secrets), epoch)
}
