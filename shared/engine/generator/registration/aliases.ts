import type { Alias } from '../../../names/alias.ts'
import { childUrnOf, nameOf, urnPartsOf, stackType, typeOf, type Urn } from '../../../names/urn.ts'

/** The present names of a resource. */
export interface AliasSubject {
  readonly stack: string
  readonly project: string
  readonly type: string
  readonly name: string
  readonly parent: Urn | ''
  readonly aliases: readonly Alias[]
}

/**
 * Returns the URNs under which an old state may be found besides the present one, in the order in
 * which they are tried (docs/spec/urns.md#alias-forms, docs/spec/urns.md#alias-set). `formerOf`
 * returns the old URN of a resource that matched an alias in this run.
 */
export function resolveAliases(
  subject: AliasSubject,
  formerOf: (urn: Urn) => Urn | undefined,
): readonly Urn[] {
  const found: Urn[] = subject.aliases.map(alias => toAliasUrn(alias, subject, formerOf))
  const parentNow = subject.parent
  const parentThen = parentNow === '' ? undefined : formerOf(parentNow)
  if (parentNow !== '' && parentThen !== undefined) {
    found.push(inheritedAliasOf(parentNow, parentThen, subject))
    for (const urn of found.slice(0, subject.aliases.length))
      found.push(
        inheritedAliasOf(parentNow, parentThen, {
          ...subject,
          type: typeOf(urn),
          name: nameOf(urn),
        }),
      )
  }
  return [...new Set(found)]
}

function toAliasUrn(
  alias: Alias,
  subject: AliasSubject,
  formerOf: (urn: Urn) => Urn | undefined,
): Urn {
  if (alias.kind === 'urn') return alias.urn
  const declaredParent = alias.parent === undefined ? subject.parent : alias.parent
  const parent = declaredParent === '' ? '' : (formerOf(declaredParent) ?? declaredParent)
  return childUrnOf(
    { stack: alias.stack ?? subject.stack, project: alias.project ?? subject.project },
    qualifiedTypeOf(parent),
    { type: alias.type ?? subject.type, name: alias.name ?? subject.name },
  )
}

/**
 * Returns the URN of a child below the old URN of its parent. A name that begins with the name of
 * the parent changes with it.
 */
function inheritedAliasOf(parentNow: Urn, parentThen: Urn, child: AliasSubject): Urn {
  const formerParentName = nameOf(parentNow)
  const name = child.name.startsWith(formerParentName)
    ? nameOf(parentThen) + child.name.slice(formerParentName.length)
    : child.name
  return childUrnOf(child, qualifiedTypeOf(parentThen), { type: child.type, name })
}

function qualifiedTypeOf(parent: Urn | ''): string | undefined {
  if (parent === '') return undefined
  const { qualifiedType } = urnPartsOf(parent)
  return qualifiedType === stackType ? undefined : qualifiedType
}
