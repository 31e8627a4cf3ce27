import { createError } from '../../errors/error.ts'
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
  /**
   * The new URN. It can differ from `urn` if the parent reference was removed, or if the parent got
   * another URN.
   */
  readonly newUrn: string
  readonly removedReferences: readonly Reference[]
}

/** A repaired state, and the changes that the repair made. */
export interface RepairResult {
  readonly state: StoredDeployment
  /** The number of resources with a new position. */
  readonly movedCount: number
  readonly prunedResources: readonly PrunedResource[]
}

/**
 * Sorts the resources behind their dependencies and removes dangling references. Returns undefined
 * for a valid state. Throws STATE_INTEGRITY for a state that cannot be repaired, for example
 * because of a cycle or a missing provider. Source: docs/spec/state-integrity.md#repair.
 */
export function repairState(state: StoredDeployment): RepairResult | undefined {
  const fault = verifyIntegrity(state)
  if (fault === undefined) return undefined
  const { resources = [] } = state
  const sorted = sortTopologically(resources)
  if (sorted.cycle !== undefined)
    throw createUnrepairableError(`${fault}; the dependencies of '${sorted.cycle}' form a cycle`)
  const prunedResources: PrunedResource[] = []
  const prunedList = pruneReferences(sorted.resources, prunedResources)
  const { integrity_error: _previousError, ...metadata } = state.metadata
  const repairedState = { ...state, resources: prunedList, metadata }
  const remainingFault = verifyIntegrity(repairedState)
  if (remainingFault !== undefined) throw createUnrepairableError(remainingFault)
  const movedCount = sorted.resources.filter(
    (resource, index) => resource !== resources[index],
  ).length
  return { state: repairedState, movedCount, prunedResources }
}

function createUnrepairableError(reason: string): Error {
  return createError('STATE_INTEGRITY', `the state cannot be repaired: ${reason}`, {
    hint: 'Run `antichain stack export`, keep a copy of the file, correct it, and import it again.',
  })
}

/**
 * Removes dangling references except `viewOf`. A resource whose parent was removed or got another
 * URN gets a new URN, and references to it are updated. Adds each changed resource to
 * `prunedResources`.
 */
function pruneReferences(
  resources: readonly StoredResource[],
  prunedResources: PrunedResource[],
): readonly StoredResource[] {
  const newUrns = new Map<string, string>()
  return resources.map(resource => {
    const removedReferences: Reference[] = []
    const prunedResource = withReferences(
      resource,
      reference => {
        const newUrn = newUrns.get(reference.urn)
        if (newUrn === undefined && reference.kind === 'viewOf') return reference.urn
        if (newUrn === undefined) removedReferences.push(reference)
        return newUrn
      },
      'drop',
    )
    const urn = urnUnderParentOf(resource, readTextField(prunedResource, 'parent'))
    if (urn !== resource.urn || removedReferences.length > 0)
      prunedResources.push({ urn: resource.urn, newUrn: urn, removedReferences })
    newUrns.set(resource.urn, urn)
    return withFields(prunedResource, { urn })
  })
}

/**
 * Returns the URN of a resource below its parent. A resource that had no parent before the repair
 * keeps its URN.
 */
function urnUnderParentOf(resource: StoredResource, parent: string): string {
  const { urn } = resource
  if (readTextField(resource, 'parent') === '' || !isUrn(urn)) return urn
  const parentType = isUrn(parent) ? urnPartsOf(parent).qualifiedType : ''
  return childUrnOf(urnPartsOf(urn), parentType, { type: typeOf(urn), name: nameOf(urn) })
}
