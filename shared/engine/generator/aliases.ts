import type { Alias } from '../../names/alias.ts'
import { childUrn, nameOf, partsOf, stackType, typeOf, type Urn } from '../../names/urn.ts'

/** What a resource is called now. */
export interface AliasSubject {
  readonly stack: string
  readonly project: string
  readonly type: string
  readonly name: string
  readonly parent: Urn | ''
  readonly aliases: readonly Alias[]
}

/**
 * The URNs under which an older state may be found, after the present one, in the order in which
 * they are tried (docs/spec/urns.md#alias-forms, docs/spec/urns.md#alias-set). `formerOf` answers
 * the old URN of one that matched an alias in this run.
 */
export function aliasUrns(
  subject: AliasSubject,
  formerOf: (urn: Urn) => Urn | undefined,
): readonly Urn[] {
  const found: Urn[] = subject.aliases.map(alias => collapse(alias, subject, formerOf))
  const parentNow = subject.parent
  const parentThen = parentNow === '' ? undefined : formerOf(parentNow)
  if (parentNow !== '' && parentThen !== undefined) {
    found.push(inherited(parentNow, parentThen, subject))
    for (const urn of found.slice(0, subject.aliases.length))
      found.push(
        inherited(parentNow, parentThen, { ...subject, type: typeOf(urn), name: nameOf(urn) }),
      )
  }
  return [...new Set(found)]
}

function collapse(
  alias: Alias,
  subject: AliasSubject,
  formerOf: (urn: Urn) => Urn | undefined,
): Urn {
  if (alias.kind === 'urn') return alias.urn
  const given = alias.parent === undefined ? subject.parent : alias.parent
  const parent = given === '' ? '' : (formerOf(given) ?? given)
  return childUrn(
    { stack: alias.stack ?? subject.stack, project: alias.project ?? subject.project },
    qualifiedTypeOf(parent),
    { type: alias.type ?? subject.type, name: alias.name ?? subject.name },
  )
}

/**
 * A child's old URN below its parent's old URN; a name that began with the parent's name follows
 * it.
 */
function inherited(parentNow: Urn, parentThen: Urn, child: AliasSubject): Urn {
  const was = nameOf(parentNow)
  const name = child.name.startsWith(was)
    ? nameOf(parentThen) + child.name.slice(was.length)
    : child.name
  return childUrn(child, qualifiedTypeOf(parentThen), { type: child.type, name })
}

function qualifiedTypeOf(parent: Urn | ''): string | undefined {
  if (parent === '') return undefined
  const { qualifiedType } = partsOf(parent)
  return qualifiedType === stackType ? undefined : qualifiedType
}
