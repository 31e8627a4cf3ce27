import { parseReference } from '../../names/provider-reference.ts'
import { readTextField } from '../stored-fields.ts'
import type { StoredResource } from '../stored.ts'
import { referencesOf } from './references.ts'

/**
 * Returns the ascending positions of all direct and indirect dependents of the resource at a
 * position. References contain a URN only, so a reference that an earlier copy of the URN satisfies
 * does not count. Linear. Source: docs/spec/state-integrity.md#state-edits.
 */
export function dependentsOf(resources: readonly StoredResource[], at: number): readonly number[] {
  const root = resources[at]
  if (root === undefined) return []
  const dependent = new Map<string, string[]>([[root.urn, [readTextField(root, 'id')]]])
  const other = new Set(resources.slice(0, at).map(({ urn }) => urn))
  const found: number[] = []
  const isDependent = (resource: StoredResource): boolean => {
    if (resource.urn === root.urn && readTextField(resource, 'id') === readTextField(root, 'id'))
      return false
    for (const { kind, urn } of referencesOf(resource)) {
      const copies = dependent.get(urn)
      if (copies === undefined || other.has(urn)) continue
      if (kind === 'parent' || kind === 'viewOf' || copies.length === 1) return true
    }
    const provider = readTextField(resource, 'provider')
    if (provider === '') return false
    const { urn, id } = parseReference(provider)
    return dependent.get(urn)?.includes(id) === true
  }
  for (let place = at + 1; place < resources.length; place++) {
    const resource = resources[place]
    if (resource === undefined) break
    if (isDependent(resource)) {
      found.push(place)
      const copies = dependent.get(resource.urn) ?? []
      copies.push(readTextField(resource, 'id'))
      dependent.set(resource.urn, copies)
    } else other.add(resource.urn)
  }
  return found
}
