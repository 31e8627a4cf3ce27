import { readListMapField, readTextField, readTextListField } from './stored-fields.ts'
import type { Json, StoredResource } from './stored.ts'

/**
 * Cuts every reference that does not point to an earlier resource, and removes parents that are
 * gone, as after a refresh that lost resources. The comparison is by position, because several
 * states may share a URN. A resource for which `isKept` holds stays unchanged unless a reference is
 * cut; the caller uses it for registered resources. Source: docs/spec/journal.md#replay-of-entries.
 */
export function rebuildDependencies(
  resources: readonly StoredResource[],
  isKept: (resource: StoredResource) => boolean = () => false,
): readonly StoredResource[] {
  const seen = new Set<string>()
  const cut = resources.map(resource => {
    const now =
      isKept(resource) && isComplete(resource, seen) ? resource : cutReferences(resource, seen)
    seen.add(resource.urn)
    return now
  })
  return cut.map(resource => {
    const parent = readTextField(resource, 'parent')
    return parent === '' || seen.has(parent) ? resource : withoutField(resource, 'parent')
  })
}

/** Reports whether all references of a resource point to earlier resources. */
function isComplete(resource: StoredResource, seen: ReadonlySet<string>): boolean {
  const named = [
    ...['parent', 'deletedWith']
      .map(field => readTextField(resource, field))
      .filter(urn => urn !== ''),
    ...['dependencies', 'replaceWith'].flatMap(field => readTextListField(resource, field)),
    ...[...readListMapField(resource, 'propertyDependencies').values()].flat(),
  ]
  return named.every(urn => seen.has(urn))
}

function cutReferences(resource: StoredResource, seen: ReadonlySet<string>): StoredResource {
  const isGone = (urn: string): boolean => !seen.has(urn)
  let now = resource
  for (const field of ['dependencies', 'replaceWith']) {
    const urns = readTextListField(resource, field)
    if (urns.some(isGone)) now = replaceList(now, field, keepSeen(urns, seen))
  }
  const deletedWith = readTextField(resource, 'deletedWith')
  if (deletedWith !== '' && isGone(deletedWith)) now = withoutField(now, 'deletedWith')
  const properties = readListMapField(resource, 'propertyDependencies')
  // As in Pulumi, empty lists are removed even if nothing was cut.
  if ([...properties.values()].every(urns => urns.length > 0 && !urns.some(isGone))) return now
  const kept = [...properties]
    .map(([key, urns]) => [key, keepSeen(urns, seen)] as const)
    .filter(([, urns]) => urns.length > 0)
  return kept.length === 0
    ? withoutField(now, 'propertyDependencies')
    : { ...now, propertyDependencies: Object.fromEntries(kept) }
}

function keepSeen(urns: readonly string[], seen: ReadonlySet<string>): readonly string[] {
  return urns.filter(urn => seen.has(urn))
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
  const kept = Object.entries(resource).filter(([name]) => name !== field)
  return { ...Object.fromEntries(kept), urn, custom, type }
}
