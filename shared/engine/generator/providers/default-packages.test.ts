import { describe, expect, test } from 'vitest'
import { createResourceState } from '../../../state/resource.ts'
import { defaultNameOf, chooseDefaultPackages } from './default-packages.ts'
import type { PropertyMap } from '../../../values/value.ts'
import type { Urn } from '../../../names/urn.ts'

const createRequest = (version: string, downloadUrl = '') => ({
  pkg: 'gold',
  version,
  downloadUrl,
  checksums: new Map<string, string>(),
})

describe('the name of a default provider', () => {
  test.each([
    ['', '', 'default'],
    ['0.18.1', '', 'default_0_18_1'],
    ['0.17.7-dev.1555435978+gb7030aa4.dirty', '', 'default_0_17_7_dev_1555435978_gb7030aa4_dirty'],
    ['1.0.0-alpha-1', '', 'default_1_0_0_alpha-1'],
    ['1.2.3', 'https://gold.example/2', 'default_1_2_3_https_/gold.example/2'],
    ['', 'company.com', 'default_company.com'],
    ['', 'gölden', 'default_g__lden'],
  ])('of version "%s" at "%s" is %s', (version, url, name) =>
    expect(defaultNameOf(createRequest(version, url))).toBe(name),
  )
})

describe('the plugin of a default provider', () => {
  const provider = (name: string, inputs: Record<string, string>) => ({
    ...createResourceState({
      urn: `urn:pulumi:dev::shop::pulumi:providers:gold::${name}` as Urn,
      custom: true,
      type: 'pulumi:providers:gold',
    }),
    inputs: new Map(Object.entries(inputs)),
  })
  const state = [
    provider('a', { version: '1.10.0' }),
    provider('b', { version: '1.9.0' }),
    provider('c', {}),
    { ...provider('d', { version: '2.0.0' }), type: 'gold:index:Thing' },
  ]

  test('is the highest version in the state when the language host reported no package', () => {
    expect(chooseDefaultPackages([], state)).toEqual(new Map([['gold', createRequest('1.10.0')]]))
  })

  test('is the one that the language host reported', () => {
    const reported = [{ pkg: 'other', version: '1.0.0', downloadUrl: '', isExtension: false }]
    expect([...chooseDefaultPackages(reported, state).keys()]).toEqual(['other'])
  })

  test('has only the checksums at the place where old states store them', () => {
    const sums = new Map([['linux-amd64', 'ab']])
    const [first] = state
    const currentInputs = new Map([['__internal', new Map([['pluginChecksums', sums]])]])
    const oldInputs = new Map([['pluginChecksums', sums]])
    const checksumsOf = (inputs: PropertyMap) =>
      first && chooseDefaultPackages([], [{ ...first, inputs }]).get('gold')?.checksums
    expect(checksumsOf(currentInputs)).toEqual(new Map())
    expect(checksumsOf(oldInputs)).toEqual(sums)
  })

  test('has parameters, and the highest version of the package', () => {
    const createPackage = (version: string) => ({
      pkg: 'silver',
      version: '1.0.0',
      downloadUrl: '',
      parameters: { plugin: 'gold', version, value: 'eA==' },
      isExtension: false,
    })
    const extension = { ...createPackage('9.0.0'), isExtension: true }
    const table = chooseDefaultPackages(
      [createPackage('0.2.0'), createPackage('0.10.0'), extension],
      [],
    )
    expect(table.get('silver')?.parameters?.version).toBe('0.10.0')
    expect(chooseDefaultPackages([extension], state).size).toBe(0)
  })

  test('cannot be chosen when two plugins provide one package', () => {
    const plain = { pkg: 'gold', version: '1.0.0', downloadUrl: '', isExtension: false }
    const parameters = { plugin: 'bridge', version: '2.0.0', value: '' }
    expect(() => chooseDefaultPackages([plain, { ...plain, parameters }], [])).toThrow(
      'package "gold" is provided by more than one plugin: plugin "gold" v1.0.0, and plugin "bridge" v1.0.0 parameterized as "gold" v2.0.0',
    )
  })

  test('is undefined for an empty state', () => {
    expect(chooseDefaultPackages([], []).get('gold')).toBeUndefined()
  })
})
