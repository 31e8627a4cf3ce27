import { describe, expect, test } from 'vitest'
import type { RequiredPackage } from '../../shared/programs/required-packages.ts'
import type { PackageParameter } from '../../shared/providers/terraform/driver/package-parameter.ts'
import type { TerraformPackage } from '../../shared/providers/terraform/driver/terraform-package.ts'
import {
  choosePackage,
  createPackageRequest,
  parseProviderChoices,
  requireKnownChoices,
} from './choose-package.ts'

const source = 'registry.terraform.io/hashicorp/random'

const requiredPackage = (json: object, version: string): RequiredPackage => ({
  pkg: 'random',
  version: '1.2.3',
  downloadUrl: '',
  parameters: {
    plugin: 'terraform-provider',
    version,
    value: Buffer.from(JSON.stringify(json)).toString('base64'),
  },
  isExtension: false,
})
const remotePackage = requiredPackage(
  { remote: { url: 'registry.opentofu.org/hashicorp/random', version: '3.6.3' } },
  '3.6.3',
)

const choose = (options: Partial<Parameters<typeof choosePackage>[1]>) =>
  choosePackage(source, {
    choices: new Map(),
    requiredPackages: [],
    lockedVersion: undefined,
    ...options,
  })

describe('the package of a provider in a state', () => {
  test('is that of the program, whichever public registry it names', () => {
    const { required } = choose({ requiredPackages: [remotePackage], lockedVersion: '3.1.0' })
    expect(required).toBe(remotePackage)
    const local = requiredPackage({ local: { path: './terraform-provider-random' } }, '0.0.0')
    expect(choose({ requiredPackages: [local] }).required).toBe(local)
  })

  test('has the locked version, or the newest one', () => {
    expect(choose({ lockedVersion: '3.1.0' }).parameter).toMatchObject({ source, version: '3.1.0' })
    expect(choose({}).parameter).toMatchObject({ source, version: '' })
  })

  test('is the one that --provider names, even if the program has another package', () => {
    const requiredPackages = [remotePackage]
    for (const address of ['random', 'hashicorp/random', source]) {
      const choices = new Map([[address, '3.5.0']])
      expect(choose({ choices, requiredPackages })).toMatchObject({
        parameter: { kind: 'remote', source, version: '3.5.0' },
      })
    }
    const choices = parseProviderChoices(['hashicorp/random=./terraform-provider-random'])
    expect(choose({ choices, requiredPackages }).parameter).toMatchObject({
      kind: 'local',
      path: './terraform-provider-random',
    })
    const equal = new Map([['random', '3.6.3']])
    expect(choose({ choices: equal, requiredPackages }).required).toBe(remotePackage)
  })

  test('becomes a package request, which is that of the program if there is one', () => {
    const pkg = { name: 'random', version: '3.6.3' } as TerraformPackage
    const parameter = { ...choose({}).parameter, source, version: '3.6.3' } as PackageParameter
    const request = createPackageRequest(undefined, { pkg, parameter })
    expect(request).toMatchObject({ pkg: 'random', parameters: { version: '3.6.3' } })
    const value = Buffer.from(request.parameters?.value ?? '', 'base64').toString()
    expect(JSON.parse(value)).toEqual({ remote: { url: source, version: '3.6.3' } })
    const programRequest = createPackageRequest(remotePackage, { pkg, parameter })
    expect(programRequest).toMatchObject({ version: '1.2.3', parameters: remotePackage.parameters })
  })
})

test('malformed choices, and choices for a provider that the state does not use, are refused', () => {
  expect(() => parseProviderChoices(['random'])).toThrow(/not 'random'/)
  const choices = new Map([['aws', '5.0.0']])
  expect(() => requireKnownChoices(choices, [source])).toThrow(/'aws', but the state uses only/)
})
