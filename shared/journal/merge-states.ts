import { stackType } from '../names/urn.ts'
import { error } from '../errors/error.ts'
import type { Json, StoredDeployment, StoredOperation, StoredResource } from '../state/stored.ts'
import { rebuildDependencies } from '../state/rebuild-dependencies.ts'
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
 * operations are compared by URN. Throws STORE_CONFLICT when both sides changed a resource, which
 * the claims of open deployments exclude. Linear apart from sorting. Pure.
 */
export function mergeStates({ base, folded, current }: MergeInput): StoredDeployment | undefined {
  const rebuilt = groupResources(rebuildDependencies(base.resources ?? []))
  const resources = mergeGroups(
    [base.resources, folded.resources, current.resources].map(groupResources),
    mergeSharedResource,
    // The fold of a refresh rebuilds the references of all resources.
    (urn, items) => areEqual(rebuilt.get(urn) ?? [], items),
  )
  const operations = mergeGroups(
    [base.pending_operations, folded.pending_operations, current.pending_operations].map(
      groupOperations,
    ),
    () => undefined,
    () => false,
  )
  const extensions = { ...folded.extensions, ...current.extensions }
  const hasNewExtension =
    Object.keys(extensions).length > Object.keys(current.extensions ?? {}).length
  if (resources === undefined && operations === undefined && !hasNewExtension) return undefined
  const { resources: _resources, pending_operations: _operations, ...rest } = current
  const allResources = resources ?? current.resources ?? []
  const allOperations = operations ?? current.pending_operations ?? []
  return completeReplay({
    ...rest,
    manifest: folded.manifest,
    ...(folded.secrets_providers === undefined
      ? {}
      : { secrets_providers: folded.secrets_providers }),
    ...(allResources.length > 0 ? { resources: allResources } : {}),
    ...(allOperations.length > 0 ? { pending_operations: allOperations } : {}),
    ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
    metadata: { ...current.metadata, ...folded.metadata },
  })
}

/** Returns a URN of `urns` whose resources or pending operations differ in two states. Pure. */
export function findChangedUrn(
  one: StoredDeployment,
  other: StoredDeployment,
  urns: ReadonlySet<string>,
): string | undefined {
  const [resources, otherResources] = [one.resources, other.resources].map(list =>
    groupResources(rebuildDependencies(list ?? [])),
  )
  const [operations, otherOperations] = [one.pending_operations, other.pending_operations].map(
    groupOperations,
  )
  for (const urn of urns) {
    const groups = [resources?.get(urn) ?? [], otherResources?.get(urn) ?? []]
    const [claimed, otherClaimed] = groups.map(group => group.map(listClaimedFields))
    if (!areEqual(claimed, otherClaimed)) return urn
    if (!areEqual(operations?.get(urn) ?? [], otherOperations?.get(urn) ?? [])) return urn
  }
  return undefined
}

type Groups<T> = ReadonlyMap<string, readonly T[]>

/** The items of one URN in the base, the fold and the published snapshot. */
type Sides<T> = readonly [base: readonly T[], folded: readonly T[], current: readonly T[]]

/** Returns the merged items, or undefined if they are the current ones. */
function mergeGroups<T>(
  [base, folded, current]: readonly Groups<T>[],
  mergeShared: (sides: Sides<T>) => readonly T[] | undefined,
  isRebuilt: (urn: string, items: readonly T[]) => boolean,
): readonly T[] | undefined {
  const merged = new Map(current)
  let isChanged = false
  for (const urn of new Set([...(base?.keys() ?? []), ...(folded?.keys() ?? [])])) {
    const sides = [base, folded, current].map(groups => groups?.get(urn) ?? [])
    const [baseItems = [], foldedItems = [], currentItems = []] = sides
    const isKept = (others: readonly T[]): boolean =>
      areEqual(baseItems, others) || isRebuilt(urn, others)
    if (isKept(foldedItems) || areEqual(foldedItems, currentItems)) continue
    const items = isKept(currentItems)
      ? foldedItems
      : mergeShared([baseItems, foldedItems, currentItems])
    if (items === undefined)
      throw error('STORE_CONFLICT', `another deployment has changed '${urn}' at the same time`)
    if (areEqual(items, currentItems)) continue
    isChanged = true
    merged.set(urn, items)
  }
  return isChanged ? [...merged.values()].flat() : undefined
}

/** The fields that deployments may set for resources that they do not claim. */
const positionFields: ReadonlySet<string> = new Set(['sourcePosition', 'stackTrace', 'modified'])

/** Returns the fields of a resource that only a claim allows to change. */
function listClaimedFields(resource: StoredResource): readonly (readonly [string, Json])[] {
  return Object.entries(resource).filter(
    ([name]) => !positionFields.has(name) && !(resource.type === stackType && name === 'outputs'),
  )
}

/**
 * Merges a resource that both sides changed, if they changed only what needs no claim: source
 * positions, and the root resource. The fold takes precedence for outputs that it changed. Returns
 * undefined otherwise.
 */
function mergeSharedResource(sides: Sides<StoredResource>): readonly StoredResource[] | undefined {
  const [base, folded, current] = sides.map(([resource, ...others]) =>
    others.length === 0 ? resource : undefined,
  )
  if (base === undefined || folded === undefined || current === undefined) return undefined
  const isKept = areEqual(listClaimedFields(base), listClaimedFields(folded))
  if (current.type === stackType)
    return [{ ...(isKept ? current : folded), outputs: mergeOutputs(base, folded, current) }]
  if (isKept) return [current]
  return areEqual(listClaimedFields(base), listClaimedFields(current)) ? [folded] : undefined
}

function mergeOutputs(...sides: readonly [StoredResource, StoredResource, StoredResource]): Json {
  const [base, folded, current] = sides.map(({ outputs }) =>
    typeof outputs === 'object' && outputs !== null && !Array.isArray(outputs)
      ? (outputs as { readonly [name: string]: Json })
      : {},
  )
  const merged: Record<string, Json> = { ...current }
  for (const name of new Set([...Object.keys(base ?? {}), ...Object.keys(folded ?? {})])) {
    const [before, after] = [base?.[name], folded?.[name]]
    if (areEqual(before, after)) continue
    if (after === undefined) delete merged[name]
    else merged[name] = after
  }
  return merged
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
