import { withFields } from '../field-order.ts'
import { readListMapField, readTextField, readTextListField } from '../stored-fields.ts'
import type { Json, StoredResource } from '../stored.ts'

/** One reference of a resource to another; its provider is no such one. */
export interface Reference {
  readonly kind: 'parent' | 'dependency' | 'property' | 'deletedWith' | 'replaceWith' | 'viewOf'
  readonly urn: string
  /** The property of a property dependency. */
  readonly key?: string
}

/** Every reference of a resource, in the order of Pulumi's own list. */
export function referencesOf(resource: StoredResource): readonly Reference[] {
  const one = (kind: Reference['kind']) => (urn: string) => (urn === '' ? [] : [{ kind, urn }])
  return [
    ...one('parent')(readTextField(resource, 'parent')),
    ...readTextListField(resource, 'dependencies').flatMap(one('dependency')),
    ...[...readListMapField(resource, 'propertyDependencies')].flatMap(([key, urns]) =>
      urns.flatMap(one('property')).map(reference => ({ ...reference, key })),
    ),
    ...one('deletedWith')(readTextField(resource, 'deletedWith')),
    ...readTextListField(resource, 'replaceWith').flatMap(one('replaceWith')),
    ...one('viewOf')(readTextField(resource, 'viewOf')),
  ]
}

/**
 * The resource with each reference as `now` says, without those that it answers with undefined. A
 * property whose list of dependencies is empty keeps it with `keep`, as it stands in the state;
 * with `drop` it is left out, as Pulumi does where it writes these lists anew.
 */
export function withReferences(
  resource: StoredResource,
  resolve: (reference: Reference) => string | undefined,
  empty: 'keep' | 'drop',
): StoredResource {
  const changes: Record<string, Json | undefined> = {}
  const one = (field: 'parent' | 'deletedWith' | 'viewOf'): void => {
    const urn = readTextField(resource, field)
    if (urn !== '') changes[field] = resolve({ kind: field, urn }) || undefined
  }
  const list = (field: string, kind: 'dependency' | 'replaceWith'): void => {
    if (resource[field] === undefined) return
    const urns = readTextListField(resource, field).flatMap(urn => resolve({ kind, urn }) ?? [])
    changes[field] = urns.length === 0 ? undefined : urns
  }
  one('parent')
  list('dependencies', 'dependency')
  one('deletedWith')
  list('replaceWith', 'replaceWith')
  one('viewOf')
  const properties = resource['propertyDependencies']
  if (properties !== undefined) {
    const lists = [...readListMapField(resource, 'propertyDependencies')].map(
      ([key, urns]) =>
        [key, urns.flatMap(urn => resolve({ kind: 'property', urn, key }) ?? [])] as const,
    )
    const kept = empty === 'keep' ? lists : lists.filter(([, urns]) => urns.length > 0)
    changes['propertyDependencies'] = kept.length === 0 ? undefined : Object.fromEntries(kept)
  }
  return withFields(resource, changes)
}
