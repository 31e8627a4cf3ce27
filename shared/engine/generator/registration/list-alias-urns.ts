import type { Alias } from '../../../names/alias.ts'
import { childUrnOf, nameOf, urnPartsOf, stackType, typeOf, type Urn } from '../../../names/urn.ts'

/** The parts of a resource's current URN, and the aliases of the resource. */
export interface AliasedResource {
  readonly stack: string
  readonly project: string
  readonly type: string
  readonly name: string
  readonly parent: Urn | ''
  readonly aliases: readonly Alias[]
}

/**
 * Returns the other URNs that the old state of a resource may have, in the order in which they are
 * tried (docs/spec/urns.md#alias-forms, docs/spec/urns.md#alias-set). `formerUrnOf`: returns the
 * old URN of a registered resource whose old state was found under an alias.
 */
export function listAliasUrns(
  resource: AliasedResource,
  formerUrnOf: (urn: Urn) => Urn | undefined,
): readonly Urn[] {
  const aliasUrns: Urn[] = resource.aliases.map(alias => toAliasUrn(alias, resource, formerUrnOf))
  const parentUrn = resource.parent
  const formerParentUrn = parentUrn === '' ? undefined : formerUrnOf(parentUrn)
  if (parentUrn !== '' && formerParentUrn !== undefined) {
    aliasUrns.push(inheritedAliasOf(parentUrn, formerParentUrn, resource))
    for (const urn of aliasUrns.slice(0, resource.aliases.length))
      aliasUrns.push(
        inheritedAliasOf(parentUrn, formerParentUrn, {
          ...resource,
          type: typeOf(urn),
          name: nameOf(urn),
        }),
      )
  }
  return [...new Set(aliasUrns)]
}

function toAliasUrn(
  alias: Alias,
  resource: AliasedResource,
  formerUrnOf: (urn: Urn) => Urn | undefined,
): Urn {
  if (alias.kind === 'urn') return alias.urn
  const declaredParent = alias.parent === undefined ? resource.parent : alias.parent
  const parent = declaredParent === '' ? '' : (formerUrnOf(declaredParent) ?? declaredParent)
  return childUrnOf(
    { stack: alias.stack ?? resource.stack, project: alias.project ?? resource.project },
    qualifiedTypeOf(parent),
    { type: alias.type ?? resource.type, name: alias.name ?? resource.name },
  )
}

/**
 * Returns the URN that a child had below the old URN of its parent. If the name of the child begins
 * with the name of the parent, this prefix is replaced by the parent's old name.
 */
function inheritedAliasOf(parentUrn: Urn, formerParentUrn: Urn, child: AliasedResource): Urn {
  const parentName = nameOf(parentUrn)
  const name = child.name.startsWith(parentName)
    ? nameOf(formerParentUrn) + child.name.slice(parentName.length)
    : child.name
  return childUrnOf(child, qualifiedTypeOf(formerParentUrn), { type: child.type, name })
}

function qualifiedTypeOf(parent: Urn | ''): string | undefined {
  if (parent === '') return undefined
  const { qualifiedType } = urnPartsOf(parent)
  return qualifiedType === stackType ? undefined : qualifiedType
}
