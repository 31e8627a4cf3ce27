import { describe, expect, test } from 'vitest'
import { RegisterResourceRequest } from '../../../proto/gen/pulumi/resource.ts'
import type { Urn } from '../../names/urn.ts'
import type { PropertyMap } from '../../values/value.ts'
import {
  declaredDependenciesOf,
  attachDependencies,
  transformOptionsOf,
  applyDependencies,
  applyOptions,
} from './transform-options.ts'

const inherited = { protect: true, retainOnDelete: undefined, deletedWith: 'd', provider: 'p' }
const request = (fields: Partial<RegisterResourceRequest> = {}): RegisterResourceRequest =>
  RegisterResourceRequest.create(fields)
const urn = (name: string): Urn => `urn:pulumi:dev::p::a:b:C::${name}` as Urn
const output = (...names: string[]) => ({
  kind: 'output' as const,
  value: 1,
  secret: false,
  dependencies: names.map(urn),
})

describe('options of a registration', () => {
  test('include inherited ones, and stay equal when they are applied to the request and read again', () => {
    const subject = request({
      version: '1.2.3',
      ignoreChanges: ['a'],
      importId: 'i',
      deleteBeforeReplace: false,
      deleteBeforeReplaceDefined: true,
      aliasURNs: [urn('old')],
      aliasSpecs: true,
    })
    const options = transformOptionsOf(subject, inherited)
    expect(options).toMatchObject({
      ...inherited,
      import: 'i',
      deleteBeforeReplace: false,
      aliases: [{ alias: { $case: 'urn', value: urn('old') } }],
    })
    const applied = applyOptions(subject, options)
    expect(applied).toMatchObject({
      importId: 'i',
      deleteBeforeReplaceDefined: true,
      protect: true,
    })
    expect(transformOptionsOf(applied, inherited)).toEqual(options)
  })

  test.each<[string, boolean, boolean | undefined]>([
    ['is absent if it is false and not marked as defined', false, undefined],
    ['is true even if it is not marked as defined, as in requests of Go programs', true, true],
  ])('deleteBeforeReplace %s', (_what, deleteBeforeReplace, expected) => {
    const options = transformOptionsOf(request({ deleteBeforeReplace }), inherited)
    expect(options.deleteBeforeReplace).toBe(expected)
  })
})

describe('dependencies', () => {
  const properties: PropertyMap = new Map<string, number>([
    ['v', 1],
    ['w', 2],
  ])

  test('are those that the request lists per property; without such lists, each property has all dependencies', () => {
    const declared = new Map([['v', { urns: ['x'] }]])
    const listDeclaredDependencies = (fields: Partial<RegisterResourceRequest>) =>
      Object.fromEntries(declaredDependenciesOf(request(fields), properties))
    expect(
      listDeclaredDependencies({ propertyDependencies: declared, dependencies: ['y'] }),
    ).toEqual({
      v: new Set(['x']),
    })
    expect(listDeclaredDependencies({ dependencies: ['y'] })).toEqual({
      v: new Set(['y']),
      w: new Set(['y']),
    })
    expect(listDeclaredDependencies({ dependencies: ['y'], remote: true })).toEqual({})
  })

  test('are added to values without dependencies', () => {
    const outputsByKey = new Map<string, ReturnType<typeof output> | number>([
      ['v', output('a')],
      ['w', 2],
      ['x', 3],
    ])
    const dependenciesByKey = new Map([
      ['v', new Set([urn('a')])],
      ['w', new Set([urn('b')])],
    ])
    const attached = attachDependencies(outputsByKey, dependenciesByKey)
    expect(attached.get('v')).toBe(outputsByKey.get('v'))
    expect(attached.get('w')).toEqual({ ...output('b'), value: 2 })
    expect(attached.get('x')).toBe(3)
  })

  test('come from the options only if the resource has transforms of its own', () => {
    const transformed = new Map([['v', output('a')]])
    const subject = request({ dependencies: [urn('y')] })
    const options = { ...transformOptionsOf(subject, inherited), dependsOn: [urn('z')] }
    const input = { sentProperties: properties, properties: transformed, options }
    expect(applyDependencies(subject, { ...input, hasOwnTransforms: true })).toMatchObject({
      dependencies: [urn('z'), urn('a')],
      propertyDependencies: new Map([['v', { urns: [urn('a')] }]]),
    })
    expect(applyDependencies(subject, { ...input, hasOwnTransforms: false }).dependencies).toEqual([
      urn('y'),
    ])
  })
})
