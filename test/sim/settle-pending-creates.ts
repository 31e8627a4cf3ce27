import { hasProvider } from '../../shared/state/pending.ts'
import { readTextField } from '../../shared/state/stored-fields.ts'
import type { StoredDeployment, StoredOperation } from '../../shared/state/stored.ts'
import { readStateBlob } from './read-state-blob.ts'
import type { ModelCloud } from './model-cloud.ts'
import { simStack } from './process.ts'
import type { World } from './world.ts'

/**
 * Returns how a user who knows the cloud settles the pending creates. Removes objects that cannot
 * be imported.
 */
export function settlePendingCreates(
  world: World,
  cloud: ModelCloud,
): { readonly existingIds: ReadonlyMap<string, string>; readonly mustClearOthers: boolean } {
  const { current = '', snapshot = '' } = world.records.catalog.getStack(simStack) ?? {}
  // The results of a current deployment are in no state yet, so its close is awaited first.
  if (current !== '') return { existingIds: new Map(), mustClearOthers: false }
  const state = readStateBlob(world, snapshot)
  const stateIds = new Set((state.resources ?? []).map(resource => readTextField(resource, 'id')))
  const urns = new Set((state.resources ?? []).map(({ urn }) => urn))
  const existingIds = new Map<string, string>()
  const creates = pendingCreatesOf(state)
  if (creates.length === 0) return { existingIds, mustClearOthers: false }
  world.cover('checked', 'a person settled a pending operation')
  for (const { resource } of creates)
    for (const object of [...cloud.objects.values()]) {
      if (object.urn !== resource.urn || stateIds.has(object.id)) continue
      const isUrnUsed = urns.has(object.urn) || existingIds.has(object.urn)
      if (isUrnUsed || !hasProvider(state.resources ?? [], resource)) cloud.removeByHand(object.id)
      else existingIds.set(object.urn, object.id)
    }
  world.cover('rule', `a pending create is ${existingIds.size > 0 ? 'imported' : 'cleared'}`)
  return { existingIds, mustClearOthers: true }
}

/** Reports whether the published state contains a create with an unknown end. */
export function hasPendingCreate(world: World): boolean {
  const { snapshot = '' } = world.records.catalog.getStack(simStack) ?? {}
  return pendingCreatesOf(readStateBlob(world, snapshot)).length > 0
}

function pendingCreatesOf(state: StoredDeployment): readonly StoredOperation[] {
  return (state.pending_operations ?? []).filter(({ type }) => type === 'creating')
}
