import type { BlobHash } from '../../shared/records/ids.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { parseStored } from './store.ts'
import type { World } from './world.ts'

const emptyState: StoredDeployment = {
  manifest: { time: '', magic: '', version: '' },
  metadata: {},
}

/** The parsed blobs of each world. A blob never changes, and callers do not modify the result. */
const parsedBlobs = new WeakMap<World, Map<BlobHash, StoredDeployment>>()

/** Returns the state in a blob; without a blob or a deployment in it, the empty state. */
export function readStateBlob(world: World, blob: BlobHash | ''): StoredDeployment {
  if (blob === '') return emptyState
  const states = parsedBlobs.get(world) ?? new Map<BlobHash, StoredDeployment>()
  parsedBlobs.set(world, states)
  const parsedState = states.get(blob)
  if (parsedState !== undefined) return parsedState
  const text = Buffer.from(world.records.blobs.get(blob)).toString('utf8')
  const state =
    parseStored<{ readonly deployment?: StoredDeployment }>(text).deployment ?? emptyState
  states.set(blob, state)
  return state
}
