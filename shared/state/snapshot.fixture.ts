import type { SecretsManager } from '../secrets/crypter.ts'
import type { ResourceState } from './resource.ts'
import type { Snapshot } from './snapshot.ts'
import { decodeSnapshot } from './snapshot-codec.ts'
import type { StoredDeployment } from './stored.ts'

/** Returns a decoded state with plain maps, because `toEqual` cannot compare a `RecomputedMap`. */
export const withPlainMaps = (state: ResourceState): ResourceState => ({
  ...state,
  inputs: new Map(state.inputs),
  outputs: new Map(state.outputs),
})

/** Decodes a snapshot, and converts its states with `withPlainMaps`. */
export async function decodePlainSnapshot(
  stored: StoredDeployment,
  manager: SecretsManager,
): Promise<Snapshot> {
  const { resources, pendingOperations, ...snapshot } = await decodeSnapshot(stored, manager)
  return {
    ...snapshot,
    resources: resources.map(withPlainMaps),
    pendingOperations: pendingOperations.map(operation => ({
      ...operation,
      resource: withPlainMaps(operation.resource),
    })),
  }
}
