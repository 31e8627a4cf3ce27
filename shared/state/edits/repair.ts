import { error } from '../../errors/error.ts'
import { childUrnOf, isUrn, nameOf, urnPartsOf, typeOf } from '../../names/urn.ts'
import { withFields } from '../field-order.ts'
import { verifyIntegrity } from '../snapshot-integrity.ts'
import { sortTopologically } from '../topological-sort.ts'
import { readTextField } from '../stored-fields.ts'
import type { StoredDeployment, StoredResource } from '../stored.ts'
import { type Reference, withReferences } from './references.ts'

/** The changes of a repair to one resource. */
export interface PrunedResource {
  readonly urn: string
  /** Its new URN, which differs if its parent is gone. */
  readonly now: string
  readonly removed: readonly Reference[]
}

/** A repaired state, and the changes. */
export interface RepairResult {
  readonly state: StoredDeployment
  /** The number of resources with a new position. */
  readonly moved: number
  readonly pruned: readonly PrunedResource[]
}

/**
 * Sorts the resources behind their dependencies and removes dangling references. Returns undefined
 * for a valid state. Throws STATE_INTEGRITY for a state that this cannot repair: a cycle, a missing
 * provider. Source: docs/spec/state-integrity.md#repair.
 */
export function repairState(state: StoredDeployment): RepairResult | undefined {
  const fault = verifyIntegrity(state)
  if (fault === undefined) return undefined
  const { resources = [] } = state
  const sorted = sortTopologically(resources)
  if (sorted.cycle !== undefined)
    throw unrepairableError(`${fault}; the dependencies of '${sorted.cycle}' form a cycle`)
  const pruned: PrunedResource[] = []
  const kept = pruneReferences(sorted.resources, pruned)
  const { integrity_error: _mark, ...metadata } = state.metadata
  const mended = { ...state, resources: kept, metadata }
  const left = verifyIntegrity(mended)
  if (left !== undefined) throw unrepairableError(left)
  const moved = sorted.resources.filter((resource, at) => resource !== resources[at]).length
  return { state: mended, moved, pruned }
}

function unrepairableError(why: string): Error {
  return error('STATE_INTEGRITY', `the state cannot be repaired: ${why}`, {
    hint: 'Run `antichain stack export`, keep a copy of the file, correct it, and import it again.',
  })
}

/** Updates every reference to an earlier renamed resource, and removes dangling ones. */
function pruneReferences(
  resources: readonly StoredResource[],
  pruned: PrunedResource[],
): readonly StoredResource[] {
  const seen = new Map<string, string>()
  return resources.map(resource => {
    const removed: Reference[] = []
    const cut = withReferences(
      resource,
      reference => {
        const now = seen.get(reference.urn)
        if (now === undefined && reference.kind === 'viewOf') return reference.urn
        if (now === undefined) removed.push(reference)
        return now
      },
      'drop',
    )
    const urn = urnUnderParentOf(resource, readTextField(cut, 'parent'))
    if (urn !== resource.urn || removed.length > 0)
      pruned.push({ urn: resource.urn, now: urn, removed })
    seen.set(resource.urn, urn)
    return withFields(cut, { urn })
  })
}

/**
 * Returns the URN of a resource below its parent. A resource without a former parent keeps its URN.
 */
function urnUnderParentOf(resource: StoredResource, parent: string): string {
  const { urn } = resource
  if (readTextField(resource, 'parent') === '' || !isUrn(urn)) return urn
  const above = isUrn(parent) ? urnPartsOf(parent).qualifiedType : ''
  return childUrnOf(urnPartsOf(urn), above, { type: typeOf(urn), name: nameOf(urn) })
}
