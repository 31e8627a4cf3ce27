import { hasProvider } from '../../shared/state/pending.ts'
import { readTextField } from '../../shared/state/stored-fields.ts'
import type { StoredDeployment, StoredOperation } from '../../shared/state/stored.ts'
import { readStateBlob } from './read-state-blob.ts'
import type { ModelCloud } from './model-cloud.ts'
import { simStack } from './process.ts'
import type { World } from './world.ts'

/**
 * Returns the settlement of pending creates by a user who knows the cloud. Orphaned objects are
 * removed.
 */
export function settlePendingCreates(
  world: World,
  cloud: ModelCloud,
): { readonly exist: ReadonlyMap<string, string>; readonly forget: boolean } {
  const { current = '', snapshot = '' } = world.records.catalog.getStack(simStack) ?? {}
  // The results of a deployment that is not closed are in no state yet, so it is awaited first.
  if (current !== '') return { exist: new Map(), forget: false }
  const state = readStateBlob(world, snapshot)
  const kept = new Set((state.resources ?? []).map(resource => readTextField(resource, 'id')))
  const urns = new Set((state.resources ?? []).map(({ urn }) => urn))
  const exist = new Map<string, string>()
  const creates = pendingCreatesOf(state)
  if (creates.length === 0) return { exist, forget: false }
  world.cover('checked', 'a person settled a pending operation')
  for (const { resource } of creates)
    for (const object of [...cloud.objects.values()]) {
      if (object.urn !== resource.urn || kept.has(object.id)) continue
      const isTaken = urns.has(object.urn) || exist.has(object.urn)
      if (isTaken || !hasProvider(state.resources ?? [], resource)) cloud.clear(object.id)
      else exist.set(object.urn, object.id)
    }
  world.cover('rule', `a pending create is ${exist.size > 0 ? 'imported' : 'cleared'}`)
  return { exist, forget: true }
}

/** Reports whether the published state contains a create with an unknown end. */
export function hasPendingCreate(world: World): boolean {
  const { snapshot = '' } = world.records.catalog.getStack(simStack) ?? {}
  return pendingCreatesOf(readStateBlob(world, snapshot)).length > 0
}

function pendingCreatesOf(state: StoredDeployment): readonly StoredOperation[] {
  return (state.pending_operations ?? []).filter(({ type }) => type === 'creating')
}
