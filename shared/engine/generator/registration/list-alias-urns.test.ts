import { describe, expect, test } from 'vitest'
import type { Urn } from '../../../names/urn.ts'
import type { Alias } from '../../../names/alias.ts'
import { type AliasedResource, listAliasUrns } from './list-alias-urns.ts'

const urnOf = (typeAndName: string): Urn => `urn:pulumi:dev::shop::${typeAndName}` as Urn
const stackUrn = urnOf('pulumi:pulumi:Stack::shop-dev')

function createAliased(fields: Partial<AliasedResource>): AliasedResource {
  const defaults = {
    stack: 'dev',
    project: 'shop',
    type: 'a:b:C',
    name: 'main',
    parent: '' as const,
  }
  return { ...defaults, aliases: [], ...fields }
}

const findNothing = (): undefined => undefined
const findRenamed =
  (newUrn: Urn, oldUrn: Urn) =>
  (currentUrn: Urn): Urn | undefined =>
    currentUrn === newUrn ? oldUrn : undefined

describe('the former URNs of a resource', () => {
  test.each<[string, Alias, string]>([
    ['a URN as it is', { kind: 'urn', urn: urnOf('x:y:Z::other') }, urnOf('x:y:Z::other')],
    ['another name', { kind: 'spec', name: 'old' }, urnOf('a:b:C::old')],
    ['another type', { kind: 'spec', type: 'a:b:B' }, urnOf('a:b:B::main')],
    ['another stack', { kind: 'spec', stack: 'prod' }, 'urn:pulumi:prod::shop::a:b:C::main'],
    ['another project', { kind: 'spec', project: 'mall' }, 'urn:pulumi:dev::mall::a:b:C::main'],
    ['another parent', { kind: 'spec', parent: urnOf('p:q:R::box') }, urnOf('p:q:R$a:b:C::main')],
    ['the stack as parent', { kind: 'spec', parent: stackUrn }, urnOf('a:b:C::main')],
  ])('come from an alias with %s', (_title, alias, expected) => {
    expect(listAliasUrns(createAliased({ aliases: [alias] }), findNothing)).toEqual([expected])
  })

  test('an alias without a parent has the parent of the resource, and an alias with an empty parent has none', () => {
    const aliases: readonly Alias[] = [
      { kind: 'spec', name: 'old' },
      { kind: 'spec', name: 'old', parent: '' },
    ]
    expect(
      listAliasUrns(createAliased({ parent: urnOf('p:q:R::box'), aliases }), findNothing),
    ).toEqual([urnOf('p:q:R$a:b:C::old'), urnOf('a:b:C::old')])
  })

  test('a repeated alias is tried once', () => {
    const twice: readonly Alias[] = [
      { kind: 'spec', name: 'old' },
      { kind: 'urn', urn: urnOf('a:b:C::old') },
    ]
    expect(listAliasUrns(createAliased({ aliases: twice }), findNothing)).toEqual([
      urnOf('a:b:C::old'),
    ])
  })

  test('a child follows its renamed parent, with a name that begins with the parent name', () => {
    const findFormerUrn = findRenamed(urnOf('p:q:R::new'), urnOf('p:q:R::old'))
    const child = createAliased({ parent: urnOf('p:q:R::new'), name: 'new-child' })
    expect(listAliasUrns(child, findFormerUrn)).toEqual([urnOf('p:q:R$a:b:C::old-child')])
    expect(listAliasUrns({ ...child, name: 'child' }, findFormerUrn)).toEqual([
      urnOf('p:q:R$a:b:C::child'),
    ])
  })

  test("a child's own aliases are tried below the parent's new name, and then below its old name", () => {
    const findFormerUrn = findRenamed(urnOf('p:q:R::new'), urnOf('p:q:R::old'))
    const aliases: readonly Alias[] = [{ kind: 'urn', urn: urnOf('a:b:B::loose') }]
    const child = createAliased({ parent: urnOf('p:q:R::new'), name: 'child', aliases })
    expect(listAliasUrns(child, findFormerUrn)).toEqual([
      urnOf('a:b:B::loose'),
      urnOf('p:q:R$a:b:C::child'),
      urnOf('p:q:R$a:b:B::loose'),
    ])
  })
})
