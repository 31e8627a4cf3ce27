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
const createRequest = (fields: Partial<RegisterResourceRequest> = {}): RegisterResourceRequest =>
  RegisterResourceRequest.create(fields)
const urnOf = (name: string): Urn => `urn:pulumi:dev::p::a:b:C::${name}` as Urn
const outputOf = (...names: string[]) => ({
  kind: 'output' as const,
  value: 1,
  secret: false,
  dependencies: names.map(urnOf),
})

describe('options of a registration', () => {
  test('include inherited ones, and stay equal when they are applied to the request and read again', () => {
    const subject = createRequest({
      version: '1.2.3',
      ignoreChanges: ['a'],
      importId: 'i',
      deleteBeforeReplace: false,
      deleteBeforeReplaceDefined: true,
      aliasURNs: [urnOf('old')],
      aliasSpecs: true,
    })
    const options = transformOptionsOf(subject, inherited)
    expect(options).toMatchObject({
      ...inherited,
      import: 'i',
      deleteBeforeReplace: false,
      aliases: [{ alias: { $case: 'urn', value: urnOf('old') } }],
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
    const options = transformOptionsOf(createRequest({ deleteBeforeReplace }), inherited)
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
      Object.fromEntries(declaredDependenciesOf(createRequest(fields), properties))
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
    const outputsByKey = new Map<string, ReturnType<typeof outputOf> | number>([
      ['v', outputOf('a')],
      ['w', 2],
      ['x', 3],
    ])
    const dependenciesByKey = new Map([
      ['v', new Set([urnOf('a')])],
      ['w', new Set([urnOf('b')])],
    ])
    const attached = attachDependencies(outputsByKey, dependenciesByKey)
    expect(attached.get('v')).toBe(outputsByKey.get('v'))
    expect(attached.get('w')).toEqual({ ...outputOf('b'), value: 2 })
    expect(attached.get('x')).toBe(3)
  })

  test('come from the options only if the resource has transforms of its own', () => {
    const transformed = new Map([['v', outputOf('a')]])
    const subject = createRequest({ dependencies: [urnOf('y')] })
    const options = { ...transformOptionsOf(subject, inherited), dependsOn: [urnOf('z')] }
    const input = { sentProperties: properties, properties: transformed, options }
    expect(applyDependencies(subject, { ...input, hasOwnTransforms: true })).toMatchObject({
      dependencies: [urnOf('z'), urnOf('a')],
      propertyDependencies: new Map([['v', { urns: [urnOf('a')] }]]),
    })
    expect(applyDependencies(subject, { ...input, hasOwnTransforms: false }).dependencies).toEqual([
      urnOf('y'),
    ])
  })
})
