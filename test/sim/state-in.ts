import type { BlobHash } from '../../shared/records/ids.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { parse } from './store.ts'
import type { World } from './world.ts'

/** The state that a blob holds. */
export function stateIn(world: World, blob: BlobHash | ''): StoredDeployment {
  const none: StoredDeployment = { manifest: { time: '', magic: '', version: '' }, metadata: {} }
  if (blob === '') return none
  const text = Buffer.from(world.store.blobs.get(blob)).toString('utf8')
  return parse<{ readonly deployment?: StoredDeployment }>(text).deployment ?? none
}
