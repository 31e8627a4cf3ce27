import { readListMapField, readTextField, readTextListField } from './stored-fields.ts'
import type { Json, StoredResource } from './stored.ts'

/**
 * Removes a URN from dependencies, `deletedWith` and `replaceWith` if no earlier resource has it.
 * Also removes missing parents. A refresh does this, because it may remove resources. As in Pulumi,
 * properties with an empty list of dependencies are removed too. Resources for which
 * `keepsEmptyLists` returns true lose their empty lists only if one of their references dangles.
 * Source: docs/spec/journal.md#replay-of-entries.
 */
export function rebuildDependencies(
  resources: readonly StoredResource[],
  keepsEmptyLists: (resource: StoredResource) => boolean = () => false,
): readonly StoredResource[] {
  const earlierUrns = new Set<string>()
  const prunedResources = resources.map(resource => {
    const prunedResource =
      keepsEmptyLists(resource) && hasOnlyEarlierReferences(resource, earlierUrns)
        ? resource
        : removeDanglingReferences(resource, earlierUrns)
    earlierUrns.add(resource.urn)
    return prunedResource
  })
  return prunedResources.map(resource => {
    const parent = readTextField(resource, 'parent')
    return parent === '' || earlierUrns.has(parent) ? resource : withoutField(resource, 'parent')
  })
}

/** Reports whether all references of a resource point to earlier resources. */
function hasOnlyEarlierReferences(
  resource: StoredResource,
  earlierUrns: ReadonlySet<string>,
): boolean {
  const referencedUrns = [
    ...['parent', 'deletedWith']
      .map(field => readTextField(resource, field))
      .filter(urn => urn !== ''),
    ...['dependencies', 'replaceWith'].flatMap(field => readTextListField(resource, field)),
    ...[...readListMapField(resource, 'propertyDependencies').values()].flat(),
  ]
  return referencedUrns.every(urn => earlierUrns.has(urn))
}

function removeDanglingReferences(
  resource: StoredResource,
  earlierUrns: ReadonlySet<string>,
): StoredResource {
  const isDangling = (urn: string): boolean => !earlierUrns.has(urn)
  let changedResource = resource
  for (const field of ['dependencies', 'replaceWith']) {
    const urns = readTextListField(resource, field)
    if (urns.some(isDangling))
      changedResource = replaceList(changedResource, field, keepEarlier(urns, earlierUrns))
  }
  const deletedWith = readTextField(resource, 'deletedWith')
  if (deletedWith !== '' && isDangling(deletedWith))
    changedResource = withoutField(changedResource, 'deletedWith')
  const propertyDependencies = readListMapField(resource, 'propertyDependencies')
  if ([...propertyDependencies.values()].every(urns => urns.length > 0 && !urns.some(isDangling)))
    return changedResource
  const remainingDependencies = [...propertyDependencies]
    .map(([key, urns]) => [key, keepEarlier(urns, earlierUrns)] as const)
    .filter(([, urns]) => urns.length > 0)
  return remainingDependencies.length === 0
    ? withoutField(changedResource, 'propertyDependencies')
    : { ...changedResource, propertyDependencies: Object.fromEntries(remainingDependencies) }
}

function keepEarlier(urns: readonly string[], earlierUrns: ReadonlySet<string>): readonly string[] {
  return urns.filter(urn => earlierUrns.has(urn))
}

function replaceList(
  resource: StoredResource,
  field: string,
  list: readonly Json[],
): StoredResource {
  return list.length === 0 ? withoutField(resource, field) : { ...resource, [field]: list }
}

function withoutField(resource: StoredResource, field: string): StoredResource {
  const { urn, custom, type } = resource
  const remainingFields = Object.entries(resource).filter(([name]) => name !== field)
  return { ...Object.fromEntries(remainingFields), urn, custom, type }
}
