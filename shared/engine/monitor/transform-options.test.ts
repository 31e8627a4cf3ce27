import { describe, expect, test } from 'vitest'
import { RegisterResourceRequest } from '../../../proto/gen/pulumi/resource.ts'
import type { Urn } from '../../names/urn.ts'
import type { PropertyMap } from '../../values/value.ts'
import {
  askedDependencies,
  carryingDependencies,
  optionsOf,
  withDependencies,
  withOptions,
} from './transform-options.ts'

const inherited = { protect: true, retainOnDelete: undefined, deletedWith: 'd', provider: 'p' }
const request = (given: Partial<RegisterResourceRequest> = {}): RegisterResourceRequest =>
  RegisterResourceRequest.create(given)
const urn = (name: string): Urn => `urn:pulumi:dev::p::a:b:C::${name}` as Urn
const output = (...names: string[]) => ({
  kind: 'output' as const,
  value: 1,
  secret: false,
  dependencies: names.map(urn),
})

describe('options of a registration', () => {
  test('have what is inherited, and go round', () => {
    const asked = request({
      version: '1.2.3',
      ignoreChanges: ['a'],
      importId: 'i',
      deleteBeforeReplace: false,
      deleteBeforeReplaceDefined: true,
      aliasURNs: [urn('old')],
      aliasSpecs: true,
    })
    const options = optionsOf(asked, inherited)
    expect(options).toMatchObject({
      ...inherited,
      import: 'i',
      deleteBeforeReplace: false,
      aliases: [{ alias: { $case: 'urn', value: urn('old') } }],
    })
    const back = withOptions(asked, options)
    expect(back).toMatchObject({ importId: 'i', deleteBeforeReplaceDefined: true, protect: true })
    expect(optionsOf(back, inherited)).toEqual(options)
  })

  test.each<[string, boolean, boolean | undefined]>([
    ['says nothing', false, undefined],
    ['is true without being defined, as of Go', true, true],
  ])('deleteBeforeReplace %s', (_what, deleteBeforeReplace, expected) => {
    const options = optionsOf(request({ deleteBeforeReplace }), inherited)
    expect(options.deleteBeforeReplace).toBe(expected)
  })
})

describe('dependencies', () => {
  const properties: PropertyMap = new Map<string, number>([
    ['v', 1],
    ['w', 2],
  ])

  test('are of each property what the request says, or all of everything', () => {
    const told = new Map([['v', { urns: ['x'] }]])
    const asked = (given: Partial<RegisterResourceRequest>) =>
      Object.fromEntries(askedDependencies(request(given), properties))
    expect(asked({ propertyDependencies: told, dependencies: ['y'] })).toEqual({
      v: new Set(['x']),
    })
    expect(asked({ dependencies: ['y'] })).toEqual({ v: new Set(['y']), w: new Set(['y']) })
    expect(asked({ dependencies: ['y'], remote: true })).toEqual({})
  })

  test('are put into values that do not have them yet', () => {
    const known = new Map<string, ReturnType<typeof output> | number>([
      ['v', output('a')],
      ['w', 2],
      ['x', 3],
    ])
    const all = new Map([
      ['v', new Set([urn('a')])],
      ['w', new Set([urn('b')])],
    ])
    const carried = carryingDependencies(known, all)
    expect(carried.get('v')).toBe(known.get('v'))
    expect(carried.get('w')).toEqual({ ...output('b'), value: 2 })
    expect(carried.get('x')).toBe(3)
  })

  test('come from the options only where the resource has transforms of its own', () => {
    const after = new Map([['v', output('a')]])
    const asked = request({ dependencies: [urn('y')] })
    const options = { ...optionsOf(asked, inherited), dependsOn: [urn('z')] }
    const about = { sent: properties, properties: after, options }
    expect(withDependencies(asked, { ...about, hasOwn: true })).toMatchObject({
      dependencies: [urn('z'), urn('a')],
      propertyDependencies: new Map([['v', { urns: [urn('a')] }]]),
    })
    expect(withDependencies(asked, { ...about, hasOwn: false }).dependencies).toEqual([urn('y')])
  })
})
