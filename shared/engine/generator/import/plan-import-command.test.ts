import { describe, expect, test } from 'vitest'
import type { Urn } from '../../../names/urn.ts'
import type { ImportedResource } from '../../../records/imported-resource.ts'
import { type ResourceState, createResourceState } from '../../../state/resource.ts'
import {
  type ImportInput,
  findImportError,
  findNeededProviders,
  planImports,
} from './plan-import-command.ts'

const stackUrn = 'urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev' as Urn
const urnOf = (type: string, name: string): Urn => `urn:pulumi:dev::p::${type}::${name}` as Urn

const createImport = (name: string, fields: Partial<ImportedResource> = {}): ImportedResource => ({
  type: 'test:index:Thing',
  name,
  id: `id-${name}`,
  parent: '',
  provider: '',
  version: '',
  pluginDownloadUrl: '',
  protect: true,
  isChosen: false,
  component: 'no',
  ...fields,
})

function createInput(
  states: readonly ResourceState[] = [],
  defaultPackages: ImportInput['defaultPackages'] = new Map(),
): ImportInput {
  const live = new Map(states.map(state => [state.urn, state]))
  return { stack: 'dev', project: 'p', liveStateOf: liveUrn => live.get(liveUrn), defaultPackages }
}

describe('a planned import', () => {
  test('comes after its parent in any order of the file', () => {
    const parent = urnOf('test:index:Thing', 'a')
    const planned = planImports(
      [createImport('b', { parent }), createImport('a')],
      createInput(),
      stackUrn,
    )
    expect(planned.map(({ resource }) => resource.name)).toEqual(['a', 'b'])
    expect(planned[1]?.urn).toBe(urnOf('test:index:Thing$test:index:Thing', 'b'))
    expect(planned.every(({ refusal }) => refusal === undefined)).toBe(true)
  })

  const stateOf = (id: string, importID = ''): ResourceState =>
    createResourceState({
      urn: urnOf('test:index:Thing', 'a'),
      type: 'test:index:Thing',
      custom: true,
      id,
      importID,
    })

  test.each([
    ['with its id', stateOf('id-a'), 0, undefined],
    ['imported under its id', stateOf('own', 'id-a'), 0, undefined],
    ['with another id', stateOf('own'), 1, /already exists/],
    ['imported under another id', stateOf('id-a', 'x'), 1, /already exists/],
  ])('is compared with a state %s', (_title, existing, length, refusal) => {
    const planned = planImports([createImport('a')], createInput([existing]), stackUrn)
    expect(planned).toHaveLength(length)
    if (refusal !== undefined) expect(planned[0]?.refusal).toMatch(refusal)
  })

  test('is refused without a known parent', () => {
    const parent = urnOf('case:index:Group', 'g')
    const [planned] = planImports([createImport('a', { parent })], createInput(), stackUrn)
    expect(planned?.refusal).toBe(`unknown parent '${parent}' for resource '${planned?.urn}'`)
  })
})

describe('the providers that an import creates', () => {
  const version = { pkg: 'test', version: '1.2.3', downloadUrl: '', checksums: new Map() }
  const providerUrn = urnOf('pulumi:providers:test', 'p')

  test('are the default provider of each package and version in the program', () => {
    const resources = [
      createImport('a'),
      createImport('b'),
      createImport('c', { version: '2.0.0' }),
    ]
    const needed = findNeededProviders(resources, createInput([], new Map([['test', version]])))
    expect(needed.map(({ urn }) => urn)).toEqual([
      urnOf('pulumi:providers:test', 'default_1_2_3'),
      urnOf('pulumi:providers:test', 'default_2_0_0'),
    ])
  })

  const parameters = { plugin: 'base', version: '0.5.0', value: 'YQ==' }
  const parameterized = { ...version, parameters }
  const ownParameters = { pluginName: 'other', pluginVersion: '7.0.0', value: 'Yg==' }

  test.each([
    ['the program', {}, '1.2.3', parameters],
    [
      'the program, with the version in the file',
      { version: '0.6.0' },
      '1.2.3',
      { version: '0.6.0' },
    ],
    [
      'the file',
      { parameterization: ownParameters, version: '2.0.0' },
      '7.0.0',
      { plugin: 'other' },
    ],
  ])('are parameterized by %s', (_title, fields, pluginVersion, expected) => {
    const defaultPackages = new Map([['test', parameterized]])
    const [needed] = findNeededProviders(
      [createImport('a', fields)],
      createInput([], defaultPackages),
    )
    expect(needed?.plugin).toMatchObject({ version: pluginVersion, parameters: expected })
    const parts = needed?.plugin.parameters?.version.split('.').join('_')
    expect(needed?.urn).toBe(urnOf('pulumi:providers:test', `default_${parts}`))
  })

  test('do not include a provider of a component, or one that the state has already', () => {
    const state = createResourceState({
      urn: providerUrn,
      type: 'pulumi:providers:test',
      custom: true,
      id: '1',
    })
    const resources = [
      createImport('a', { provider: providerUrn }),
      createImport('g', { component: 'local', id: '' }),
    ]
    expect(findNeededProviders(resources, createInput([state]))).toEqual([])
  })

  test('include declared providers with their own configuration', () => {
    const inputs = { region: 'r' }
    const declared = createImport('p', { type: 'pulumi:providers:test', id: '', inputs })
    const resources = [createImport('a', { provider: providerUrn }), declared]
    expect(findNeededProviders(resources, createInput())).toMatchObject([
      { urn: providerUrn, inputs },
    ])
    expect(planImports(resources, createInput(), stackUrn)).toHaveLength(1)
  })

  test('include named providers with the inputs in the file', () => {
    const providerInputs = { region: 'r' }
    const resources = [createImport('a', { provider: providerUrn, providerInputs })]
    expect(findNeededProviders(resources, createInput())).toMatchObject([
      { urn: providerUrn, inputs: providerInputs },
    ])
  })
})

describe('findImportError', () => {
  test.each([
    [
      'reports an invalid type',
      [createImport('a', { type: 'test' })],
      /not a valid resource type token/,
    ],
    [
      'reports a duplicate URN',
      [createImport('a'), createImport('a')],
      /duplicate import 'a' of type 'test:index:Thing'/,
    ],
    [
      'reports a provider with another type',
      [createImport('a', { provider: stackUrn })],
      /is not a provider type/,
    ],
    [
      'reports parameters of a resource without a version',
      [
        createImport('a', {
          parameterization: { pluginName: 'base', pluginVersion: '1.0.0', value: '' },
        }),
      ],
      /import 'a': version must be provided/,
    ],
    ['accepts two resources', [createImport('a'), createImport('b')], undefined],
    [
      'accepts any type of a component',
      [createImport('g', { type: 'g', component: 'local' })],
      undefined,
    ],
  ])('%s', (_title, resources, expected) => {
    const importError = findImportError(resources, createInput())
    if (expected === undefined) expect(importError).toBeUndefined()
    else expect(importError).toMatch(expected)
  })
})
