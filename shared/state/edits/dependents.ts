import { parseProviderReference } from '../../names/provider-reference.ts'
import { readTextField } from '../stored-fields.ts'
import type { StoredResource } from '../stored.ts'
import { referencesOf } from './references.ts'

/**
 * Returns the ascending positions of all direct and indirect dependents of the resource at a
 * position. This resource and its dependents are the affected ones. Several copies of a resource
 * may share a URN, and only references to providers also contain an id. A reference without an id
 * does not count if an earlier, unaffected copy with the URN exists. If several copies are
 * affected, a reference without an id counts only if it names a parent or the owner of a view.
 * Takes linear time. Source: docs/spec/state-integrity.md#state-edits.
 */
export function dependentsOf(
  resources: readonly StoredResource[],
  rootPosition: number,
): readonly number[] {
  const root = resources[rootPosition]
  if (root === undefined) return []
  const affectedIdsByUrn = new Map<string, string[]>([[root.urn, [readTextField(root, 'id')]]])
  const unaffectedUrns = new Set(resources.slice(0, rootPosition).map(({ urn }) => urn))
  const positions: number[] = []
  const isDependent = (resource: StoredResource): boolean => {
    if (resource.urn === root.urn && readTextField(resource, 'id') === readTextField(root, 'id'))
      return false
    for (const { kind, urn } of referencesOf(resource)) {
      const ids = affectedIdsByUrn.get(urn)
      if (ids === undefined || unaffectedUrns.has(urn)) continue
      // A parent or owner is always needed. Any other reference may refer to another copy, so it
      // counts only if a single copy is affected.
      if (kind === 'parent' || kind === 'viewOf' || ids.length === 1) return true
    }
    const provider = readTextField(resource, 'provider')
    if (provider === '') return false
    const { urn, id } = parseProviderReference(provider)
    return affectedIdsByUrn.get(urn)?.includes(id) === true
  }
  for (let position = rootPosition + 1; position < resources.length; position++) {
    const resource = resources[position]
    if (resource === undefined) break
    if (isDependent(resource)) {
      positions.push(position)
      const ids = affectedIdsByUrn.get(resource.urn) ?? []
      ids.push(readTextField(resource, 'id'))
      affectedIdsByUrn.set(resource.urn, ids)
    } else unaffectedUrns.add(resource.urn)
  }
  return positions
}
