import { withFields } from '../field-order.ts'
import { readListMapField, readTextField, readTextListField } from '../stored-fields.ts'
import type { Json, StoredResource } from '../stored.ts'

/** A reference from a resource to another one, except to its provider. */
export interface Reference {
  readonly kind: 'parent' | 'dependency' | 'property' | 'deletedWith' | 'replaceWith' | 'viewOf'
  readonly urn: string
  /** The property of a property dependency. */
  readonly key?: string
}

/**
 * Returns every reference of a resource, ordered by kind: parent, dependencies, property
 * dependencies, deletedWith, replaceWith, viewOf. Source: docs/spec/state-format.md#state-record.
 */
export function referencesOf(resource: StoredResource): readonly Reference[] {
  const toReferences = (kind: Reference['kind']) => (urn: string) =>
    urn === '' ? [] : [{ kind, urn }]
  return [
    ...toReferences('parent')(readTextField(resource, 'parent')),
    ...readTextListField(resource, 'dependencies').flatMap(toReferences('dependency')),
    ...[...readListMapField(resource, 'propertyDependencies')].flatMap(([key, urns]) =>
      urns.flatMap(toReferences('property')).map(reference => ({ ...reference, key })),
    ),
    ...toReferences('deletedWith')(readTextField(resource, 'deletedWith')),
    ...readTextListField(resource, 'replaceWith').flatMap(toReferences('replaceWith')),
    ...toReferences('viewOf')(readTextField(resource, 'viewOf')),
  ]
}

/**
 * Returns the resource with each reference replaced by the result of `resolve`. The result
 * undefined removes the reference. `emptyLists`: whether a property without remaining dependencies
 * keeps an empty list. As in Pulumi, the rename of a stack keeps it, and other edits drop it.
 */
export function withReferences(
  resource: StoredResource,
  resolve: (reference: Reference) => string | undefined,
  emptyLists: 'keep' | 'drop',
): StoredResource {
  const changes: Record<string, Json | undefined> = {}
  const changeField = (field: 'parent' | 'deletedWith' | 'viewOf'): void => {
    const urn = readTextField(resource, field)
    if (urn !== '') changes[field] = resolve({ kind: field, urn }) || undefined
  }
  const changeList = (field: string, kind: 'dependency' | 'replaceWith'): void => {
    if (resource[field] === undefined) return
    const urns = readTextListField(resource, field).flatMap(urn => resolve({ kind, urn }) ?? [])
    changes[field] = urns.length === 0 ? undefined : urns
  }
  changeField('parent')
  changeList('dependencies', 'dependency')
  changeField('deletedWith')
  changeList('replaceWith', 'replaceWith')
  changeField('viewOf')
  const properties = resource['propertyDependencies']
  if (properties !== undefined) {
    const lists = [...readListMapField(resource, 'propertyDependencies')].map(
      ([key, urns]) =>
        [key, urns.flatMap(urn => resolve({ kind: 'property', urn, key }) ?? [])] as const,
    )
    const remainingLists =
      emptyLists === 'keep' ? lists : lists.filter(([, urns]) => urns.length > 0)
    changes['propertyDependencies'] =
      remainingLists.length === 0 ? undefined : Object.fromEntries(remainingLists)
  }
  return withFields(resource, changes)
}
