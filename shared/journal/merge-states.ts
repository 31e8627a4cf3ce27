import { stackType } from '../names/urn.ts'
import type { Claim } from '../records/claim.ts'
import type { Json, StoredDeployment, StoredOperation, StoredResource } from '../state/stored.ts'
import { rebuildDependencies } from '../state/rebuild-dependencies.ts'
import { referencedUrnsOf } from '../state/referenced-urns.ts'
import { completeReplay } from './fold.ts'

/** The three states of a merge. */
export interface MergeInput {
  /** The snapshot that was published when the deployment began. */
  readonly base: StoredDeployment
  /** The fold of the deployment. */
  readonly folded: StoredDeployment
  /** The snapshot that is published now. */
  readonly current: StoredDeployment
}

/**
 * Returns the published snapshot with the changes of a deployment that began on an older one.
 * Returns undefined if the snapshot contains these changes already. Resources and pending
 * operations are compared by URN. Claims should prevent two deployments from changing the same
 * resource. If both deployments have changed a resource, the result has its state from the fold.
 * The object that only the published snapshot has is marked for deletion, and the result is marked
 * as damaged. So no deployment stays open, and no object is lost. Linear apart from sorting. Pure.
 */
export function mergeStates({ base, folded, current }: MergeInput): StoredDeployment | undefined {
  const rebuiltBase = groupResources(rebuildDependencies(base.resources ?? []))
  const conflicts: string[] = []
  const resources = mergeGroups(
    [base.resources, folded.resources, current.resources].map(groupResources),
    (sides, urn) => {
      const merged = mergeSharedResource(sides)
      if (merged === undefined) conflicts.push(urn)
      return merged ?? keepBothObjects(sides)
    },
    // The fold of a refresh rebuilds the references of all resources. This alone is no change.
    (urn, items) => areEqual(rebuiltBase.get(urn) ?? [], items),
  )
  const operations = mergeGroups(
    [listPendingCreates(base), folded.pending_operations, dropEndedOperations(base, current)].map(
      groupOperations,
    ),
    ([, foldedOperations, currentOperations]) => [
      ...currentOperations,
      ...foldedOperations.filter(one => !currentOperations.some(other => areEqual(one, other))),
    ],
    () => false,
  )
  const extensions = { ...folded.extensions, ...current.extensions }
  const hasNewExtension =
    Object.keys(extensions).length > Object.keys(current.extensions ?? {}).length
  if (resources === undefined && operations === undefined && !hasNewExtension) return undefined
  const { resources: _resources, pending_operations: _operations, ...otherFields } = current
  const allResources = resources ?? current.resources ?? []
  const allOperations = operations ?? current.pending_operations ?? []
  const merged = completeReplay({
    ...otherFields,
    manifest: folded.manifest,
    ...(folded.secrets_providers === undefined
      ? {}
      : { secrets_providers: folded.secrets_providers }),
    ...(allResources.length > 0 ? { resources: allResources } : {}),
    ...(allOperations.length > 0 ? { pending_operations: allOperations } : {}),
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
    metadata: { ...current.metadata, ...folded.metadata },
  })
  const [urn] = conflicts
  if (urn === undefined || merged.metadata['integrity_error'] !== undefined) return merged
  const fault = `another deployment changed '${urn}' at the same time`
  const integrityError = { version: folded.manifest.version, error: fault }
  return { ...merged, metadata: { integrity_error: integrityError, ...merged.metadata } }
}

/**
 * Returns the URN of a resource that differs between an older and a newer state, and therefore
 * prevents a claim. The claim contains this resource, or changes another one to which this resource
 * refers in the newer state. A new read of an external resource is no difference. Pure.
 */
export function findChangedUrn(
  older: StoredDeployment,
  newer: StoredDeployment,
  { changes, reads }: Claim,
): string | undefined {
  const [olderResources, newerResources] = [older.resources, newer.resources].map(list =>
    groupResources(rebuildDependencies(list ?? [])),
  )
  const [olderOperations, newerOperations] = [
    listPendingCreates(older),
    dropEndedOperations(older, newer),
  ].map(groupOperations)
  const isChanged = (urn: string): boolean => {
    const groups = [olderResources?.get(urn) ?? [], newerResources?.get(urn) ?? []]
    const [olderFields, newerFields] = groups.map(group => group.map(listClaimedFields))
    if (!groups.every(areExternal) && !areEqual(olderFields, newerFields)) return true
    return !areEqual(olderOperations?.get(urn) ?? [], newerOperations?.get(urn) ?? [])
  }
  for (const urn of new Set([...changes, ...reads])) if (isChanged(urn)) return urn
  for (const [urn, states] of newerResources ?? []) {
    const refersToChange = states.some(state =>
      referencedUrnsOf(state).some(reference => changes.has(reference)),
    )
    if (refersToChange && isChanged(urn)) return urn
  }
  return undefined
}

/** Returns those pending operations of a base that every fold keeps: the creates. */
function listPendingCreates({
  pending_operations: operations = [],
}: StoredDeployment): readonly StoredOperation[] {
  return operations.filter(({ type }) => type === 'creating')
}

/**
 * Returns the pending operations of a later state, without those operations of the base that every
 * fold drops.
 */
function dropEndedOperations(
  base: StoredDeployment,
  { pending_operations: operations = [] }: StoredDeployment,
): readonly StoredOperation[] {
  const ended = (base.pending_operations ?? []).filter(({ type }) => type !== 'creating')
  return operations.filter(operation => !ended.some(other => areEqual(other, operation)))
}

type Groups<T> = ReadonlyMap<string, readonly T[]>

/** The items of one URN in the base, the fold and the published snapshot. */
type Sides<T> = readonly [base: readonly T[], folded: readonly T[], current: readonly T[]]

/**
 * Returns the merged items, or undefined if they are the current ones. `isRebuilt`: whether items
 * differ from those of the base only because a fold rebuilt their references.
 */
function mergeGroups<T>(
  [base, folded, current]: readonly Groups<T>[],
  mergeShared: (sides: Sides<T>, urn: string) => readonly T[],
  isRebuilt: (urn: string, items: readonly T[]) => boolean,
): readonly T[] | undefined {
  const merged = new Map(current)
  let isChanged = false
  for (const urn of new Set([...(base?.keys() ?? []), ...(folded?.keys() ?? [])])) {
    const sides = [base, folded, current].map(groups => groups?.get(urn) ?? [])
    const [baseItems = [], foldedItems = [], currentItems = []] = sides
    const isUnchanged = (sideItems: readonly T[]): boolean =>
      areEqual(baseItems, sideItems) || isRebuilt(urn, sideItems)
    if (isUnchanged(foldedItems) || areEqual(foldedItems, currentItems)) continue
    const items = isUnchanged(currentItems)
      ? foldedItems
      : mergeShared([baseItems, foldedItems, currentItems], urn)
    if (areEqual(items, currentItems)) continue
    isChanged = true
    merged.set(urn, items)
  }
  return isChanged ? [...merged.values()].flat() : undefined
}

/** The fields that deployments may set for resources that they do not claim. */
const unclaimedFields: ReadonlySet<string> = new Set(['sourcePosition', 'stackTrace', 'modified'])

/** Returns the fields of a resource that a deployment may change only with a claim. */
function listClaimedFields(resource: StoredResource): readonly (readonly [string, Json])[] {
  return Object.entries(resource).filter(
    ([name]) => !unclaimedFields.has(name) && !(resource.custom !== true && name === 'outputs'),
  )
}

/**
 * Merges a resource that both sides changed, if at most one of the changes needs a claim. No claim
 * is needed for source positions, outputs of components, the root resource, and reads of external
 * resources. The fold takes precedence for outputs that it changed. Returns undefined if both
 * changes need a claim, or if the base or a side does not have exactly one state of the URN.
 */
function mergeSharedResource(sides: Sides<StoredResource>): readonly StoredResource[] | undefined {
  const [, foldedStates, currentStates] = sides
  if (areExternal(foldedStates) && areExternal(currentStates)) return currentStates
  const [base, folded, current] = sides.map(([resource, ...others]) =>
    others.length === 0 ? resource : undefined,
  )
  if (base === undefined || folded === undefined || current === undefined) return undefined
  const isKeptByFold = areEqual(listClaimedFields(base), listClaimedFields(folded))
  const isKeptByCurrent = areEqual(listClaimedFields(base), listClaimedFields(current))
  if (!isKeptByFold && !isKeptByCurrent && current.type !== stackType) return undefined
  const merged = isKeptByFold ? current : folded
  if (current.custom) return [merged]
  const hasOutputs = [base, folded, current].some(({ outputs }) => outputs !== undefined)
  return [hasOutputs ? { ...merged, outputs: mergeOutputs(base, folded, current) } : merged]
}

/** Reports whether the only state of a URN is that of an external resource, which is only read. */
function areExternal(states: readonly StoredResource[]): boolean {
  return states.length === 1 && states[0]?.['external'] === true
}

/**
 * Returns the states of the fold, and those objects of the published snapshot that only the other
 * deployment created. The next deployment deletes these, as after a replacement.
 */
function keepBothObjects([base, folded, current]: Sides<StoredResource>): StoredResource[] {
  const knownIds = new Set([...base, ...folded].map(({ id }) => id))
  const otherObjects = current.filter(
    ({ custom, id, external }) => custom && external !== true && !knownIds.has(id),
  )
  return [...folded, ...otherObjects.map(state => ({ ...state, delete: true }))]
}

/** Returns the outputs of the published snapshot, with the changes from the base to the fold. */
function mergeOutputs(...sides: readonly [StoredResource, StoredResource, StoredResource]): Json {
  const [base, folded, merged] = sides.map(
    ({ outputs }) =>
      new Map<string, Json>(
        typeof outputs === 'object' && outputs !== null && !Array.isArray(outputs)
          ? Object.entries(outputs)
          : [],
      ),
  )
  for (const name of new Set([...(base?.keys() ?? []), ...(folded?.keys() ?? [])])) {
    const [before, after] = [base?.get(name), folded?.get(name)]
    if (areEqual(before, after)) continue
    if (after === undefined) merged?.delete(name)
    else merged?.set(name, after)
  }
  return Object.fromEntries(merged ?? [])
}

function groupResources(
  resources: readonly StoredResource[] | undefined = [],
): Groups<StoredResource> {
  return Map.groupBy(resources, ({ urn }) => urn)
}

function groupOperations(
  operations: readonly StoredOperation[] | undefined = [],
): Groups<StoredOperation> {
  return Map.groupBy(operations, ({ resource }) => resource.urn)
}

function areEqual(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
