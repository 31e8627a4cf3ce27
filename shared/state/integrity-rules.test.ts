import { describe, expect, test } from 'vitest'
import { manifestOf } from './snapshot-codec.ts'
import { inspectIntegrity, verifyIntegrity } from './snapshot-integrity.ts'
import { normalizeUrns } from './normalize-urns.ts'
import { rebuildDependencies } from './rebuild-dependencies.ts'
import { sortTopologically } from './topological-sort.ts'
import type { Json, StoredDeployment, StoredResource } from './stored.ts'

type Fields = { readonly [field: string]: Json }

const urnOf = (name: string, type = 'a:b:C'): string => `urn:pulumi:dev::shop::${type}::${name}`

function resource(name: string, fields: Fields = {}, type = 'a:b:C'): StoredResource {
  const ownType = type.slice(type.lastIndexOf('$') + 1)
  return { urn: urnOf(name, type), custom: true, type: ownType, ...fields }
}

const providerType = 'pulumi:providers:a'
const provider = (name: string, id: string): StoredResource => resource(name, { id }, providerType)
const providerFields = (name: string, id: string): Fields => ({
  provider: `${urnOf(name, providerType)}::${id}`,
})
const dependencyFields = (...names: string[]): Fields => ({
  dependencies: names.map(name => urnOf(name)),
})

function deploymentOf(...resources: StoredResource[]): StoredDeployment {
  return { manifest: manifestOf('v1', ''), resources, metadata: {} }
}

const namesOf = (resources: readonly StoredResource[] | undefined): string =>
  (resources ?? []).map(({ urn }) => urn.slice(urn.lastIndexOf('::') + 2)).join('')

describe('integrity', () => {
  test('a deployment in order is valid', () => {
    const fault = verifyIntegrity(
      deploymentOf(
        provider('p', 'x'),
        resource('a', providerFields('p', 'x')),
        resource('a', { ...providerFields('p', 'x'), delete: true }),
        resource('b', {
          dependencies: [urnOf('a'), ''],
          parent: urnOf('a'),
          propertyDependencies: { k: null },
        }),
      ),
    )
    expect(fault).toBeUndefined()
  })

  test.each<[string, StoredResource[], RegExp]>([
    ['a resource without a type', [{ urn: urnOf('a'), custom: true, type: '' }], /has no type/],
    [
      'an invalid URN',
      [{ urn: 'urn:pulumi:dev::shop', custom: true, type: 'a:b:C' }],
      /'urn:pulumi:dev::shop' is not a valid URN/,
    ],
    ['a component with an id', [resource('a', { custom: false, id: 'x' })], /has the id/],
    [
      'a reference to another id of a provider',
      [provider('p', 'x'), resource('a', providerFields('p', 'y'))],
      /unknown provider/,
    ],
    [
      'a provider after its resource',
      [resource('a', providerFields('p', 'x')), provider('p', 'x')],
      /unknown provider/,
    ],
    [
      'an invalid provider reference',
      [resource('a', { provider: 'p' })],
      /not a provider reference/,
    ],
    ['a missing parent', [resource('a', { parent: urnOf('b') })], /its parent .*is missing/],
    [
      'a parent after its child',
      [resource('a', { parent: urnOf('b') }), resource('b')],
      /comes after it/,
    ],
    ['a missing dependency', [resource('a', dependencyFields('b'))], /its dependency .*is missing/],
    [
      'a missing property dependency',
      [resource('a', { propertyDependencies: { k: [urnOf('b')] } })],
      /property dependency/,
    ],
    [
      'a missing resource in deletedWith',
      [resource('a', { deletedWith: urnOf('b') })],
      /deletedWith/,
    ],
    [
      'a missing resource in replaceWith',
      [resource('a', { replaceWith: [urnOf('b')] })],
      /replaceWith/,
    ],
    ['a duplicate resource', [resource('a'), resource('a')], /duplicate resource/],
  ])('a deployment with %s is invalid', (_what, resources, message) => {
    expect(verifyIntegrity(deploymentOf(...resources))).toMatch(message)
  })

  test('a resource with a pending replacement may reference a missing provider', () => {
    const state = resource('a', { ...providerFields('p', 'x'), pendingReplacement: true })
    expect(verifyIntegrity(deploymentOf(state))).toBeUndefined()
  })

  test('a list counts as sorted if no URN is shared, and each provider and dependency comes first', () => {
    const isSorted = (...list: StoredResource[]): boolean =>
      inspectIntegrity(deploymentOf(...list)).isSorted
    const referring = resource('a', { ...providerFields('p', 'x'), pendingReplacement: true })
    expect(isSorted(provider('p', 'x'), referring, resource('b', dependencyFields('a')))).toBe(true)
    expect(isSorted(referring, provider('p', 'x'))).toBe(false)
    expect(isSorted(resource('a'), resource('a', { delete: true }))).toBe(false)
    expect(isSorted(resource('b', dependencyFields('a')), resource('a'))).toBe(false)
  })

  test('a provider without an id is referenced by the marker of an unknown id', () => {
    const unknownId = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'
    const fault = verifyIntegrity(
      deploymentOf(provider('p', ''), resource('a', providerFields('p', unknownId))),
    )
    expect(fault).toBeUndefined()
  })

  test('magic and snippets are checked', () => {
    expect(
      verifyIntegrity({ manifest: { time: '', magic: 'x', version: 'v1' }, metadata: {} }),
    ).toMatch(/magic/)
    const snippets = [{ uuid: 'u' }, { uuid: 'u' }]
    expect(verifyIntegrity({ ...deploymentOf(), snippets })).toMatch(/duplicate snippet/)
  })
})

describe('normalized URNs', () => {
  test('every field with an alias gets the current URN', () => {
    const old = urnOf('old')
    const referring = resource('b', {
      parent: old,
      dependencies: [old],
      propertyDependencies: { k: [old] },
      deletedWith: old,
      replaceWith: [old],
      viewOf: old,
    })
    const deployment = deploymentOf(resource('a', { aliases: [old] }), referring)
    const normalized = normalizeUrns({
      ...deployment,
      snippets: [{ uuid: 'u', references: { x: old } }],
    })
    expect(JSON.stringify(normalized)).not.toContain('::old')
    expect(normalized.resources?.[0]).not.toHaveProperty('aliases')
    expect(normalized.resources?.[1]).toMatchObject({
      viewOf: urnOf('a'),
      replaceWith: [urnOf('a')],
    })
  })

  test('a resource with a renamed property dependency loses its empty lists, and another keeps them', () => {
    const old = urnOf('old')
    const deployment = deploymentOf(
      resource('a', { aliases: [old] }),
      resource('b', { propertyDependencies: { k: [old], m: [] } }),
      resource('c', { propertyDependencies: { m: [] } }),
    )
    const lists = normalizeUrns(deployment).resources?.map(state => state['propertyDependencies'])
    expect(lists).toEqual([undefined, { k: [urnOf('a')] }, { m: [] }])
  })

  test("children of a renamed resource get their parent's new type in their URN", () => {
    const deployment = deploymentOf(
      resource('a', { custom: false, aliases: [urnOf('a', 'x:y:Old')] }, 'x:y:New'),
      resource('b', { parent: urnOf('a', 'x:y:Old') }, 'x:y:Old$a:b:C'),
      resource('c', { parent: urnOf('b', 'x:y:Old$a:b:C') }, 'x:y:Old$a:b:C$a:b:C'),
    )
    expect(normalizeUrns(deployment).resources?.map(({ urn }) => urn)).toEqual([
      urnOf('a', 'x:y:New'),
      urnOf('b', 'x:y:New$a:b:C'),
      urnOf('c', 'x:y:New$a:b:C$a:b:C'),
    ])
  })

  test('references to a provider keep their id', () => {
    const old = urnOf('old', providerType)
    const deployment = deploymentOf(
      { ...provider('p', 'x'), aliases: [old] },
      resource('a', { provider: `${old}::x` }),
    )
    expect(normalizeUrns(deployment).resources?.[1]).toMatchObject(providerFields('p', 'x'))
  })

  test('two resources cannot have the same alias', () => {
    const deployment = deploymentOf(
      resource('a', { aliases: [urnOf('old')] }),
      resource('b', { aliases: [urnOf('old')] }),
    )
    expect(() => normalizeUrns(deployment)).toThrow(/both have the alias/)
  })

  test('a deployment without aliases is returned unchanged', () => {
    const deployment = deploymentOf(resource('a'), resource('b', dependencyFields('a')))
    expect(normalizeUrns(deployment)).toBe(deployment)
  })
})

describe('cutting references', () => {
  test('references to absent or later resources are cut, and all others stay', () => {
    const [, b] = rebuildDependencies([
      resource('a'),
      resource('b', {
        parent: urnOf('x'),
        dependencies: [urnOf('a'), urnOf('x')],
        propertyDependencies: { k: [urnOf('x')], l: [urnOf('x'), urnOf('a')], m: [] },
        deletedWith: urnOf('c'),
        replaceWith: [urnOf('x')],
      }),
      resource('c'),
    ])
    expect(b).toEqual(
      resource('b', {
        dependencies: [urnOf('a')],
        propertyDependencies: { l: [urnOf('a')] },
      }),
    )
  })

  test('a parent may come later', () => {
    const list = [resource('a', { parent: urnOf('b') }), resource('b')]
    expect(rebuildDependencies(list)).toEqual(list)
  })
})

describe('topological order', () => {
  const sortedNames = (...list: StoredResource[]): string =>
    namesOf(sortTopologically(list).resources)

  test('dependencies move before their dependents, and the order of all others stays', () => {
    expect(
      sortedNames(
        resource('a', dependencyFields('c')),
        resource('b'),
        resource('c'),
        resource('d'),
      ),
    ).toBe('cabd')
  })

  test('providers move before their resources, by id', () => {
    const [p, q] = [provider('p', 'x'), provider('p', 'y')]
    const list = [q, resource('a', providerFields('p', 'x')), p]
    expect(sortTopologically(list).resources).toEqual([q, p, list[1]])
  })

  test('an old copy refers to the old copy of a URN, and a live state to the live one', () => {
    const [oldCopy, live] = [resource('a', { delete: true }), resource('a')]
    const [oldDependent, liveDependent] = [
      resource('b', { delete: true, ...dependencyFields('a') }),
      resource('b', dependencyFields('a')),
    ]
    expect(sortTopologically([liveDependent, live, oldDependent, oldCopy]).resources).toEqual([
      live,
      liveDependent,
      oldCopy,
      oldDependent,
    ])
  })

  test('a reference means the nearest earlier state of its URN', () => {
    const oldCopyOf = (id: string): StoredResource => resource('a', { delete: true, id })
    const list = [
      oldCopyOf('1'),
      resource('b', { delete: true, ...dependencyFields('a') }),
      oldCopyOf('2'),
    ]
    expect(sortTopologically(list).resources).toEqual(list)
  })

  test('a cycle leaves the list unchanged and is named', () => {
    const list = [
      resource('a', dependencyFields('b')),
      resource('b', dependencyFields('a')),
      resource('c'),
    ]
    expect(sortTopologically(list)).toEqual({ resources: list, cycle: urnOf('a') })
    const self = [resource('a', dependencyFields('a'))]
    expect(sortTopologically(self).cycle).toBe(urnOf('a'))
  })

  test('a long chain in reverse order is sorted without recursion', () => {
    const count = 5_000
    const list = Array.from({ length: count }, (_, index) =>
      resource(`${index}`, index + 1 < count ? dependencyFields(`${index + 1}`) : {}),
    )
    expect(
      sortTopologically(list)
        .resources.map(({ urn }) => urn)
        .join(),
    ).toBe(
      list
        .map(({ urn }) => urn)
        .reverse()
        .join(),
    )
  })
})
