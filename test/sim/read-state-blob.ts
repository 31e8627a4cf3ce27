import type { BlobHash } from '../../shared/records/ids.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { parseStored } from './store.ts'
import type { World } from './world.ts'

const none: StoredDeployment = { manifest: { time: '', magic: '', version: '' }, metadata: {} }

/** Parsed blobs by world: a blob never changes, and callers do not modify the result. */
const read = new WeakMap<World, Map<BlobHash, StoredDeployment>>()

/** Returns the state in a blob. */
export function readStateBlob(world: World, blob: BlobHash | ''): StoredDeployment {
  if (blob === '') return none
  const states = read.get(world) ?? new Map<BlobHash, StoredDeployment>()
  read.set(world, states)
  const known = states.get(blob)
  if (known !== undefined) return known
  const text = Buffer.from(world.records.blobs.get(blob)).toString('utf8')
  const state = parseStored<{ readonly deployment?: StoredDeployment }>(text).deployment ?? none
  states.set(blob, state)
  return state
}
