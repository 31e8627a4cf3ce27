import { expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import { createResourceState } from '../../state/resource.ts'
import { describeOlderPackages } from './warn-older-packages.ts'

const createProvider = (name: string, version: string) =>
  createResourceState({
    urn: `urn:pulumi:dev::shop::pulumi:providers:aws::${name}` as Urn,
    type: 'pulumi:providers:aws',
    custom: true,
    inputs: new Map(version === '' ? [] : [['version', version]]),
  })

const requiredPackagesOf = (version: string) => [
  { pkg: 'aws', version, downloadUrl: '', isExtension: false },
]

test('each older package of the state is described once, with the version of the program', () => {
  const resources = [
    createProvider('default', '6.1.0'),
    createProvider('west', '6.1.0'),
    createProvider('new', '6.2.0'),
    createProvider('none', ''),
  ]
  expect(describeOlderPackages(requiredPackagesOf('6.2.0'), resources)).toEqual([
    "package 'aws' than the specified program version: 6.1.0 < 6.2.0",
  ])
  expect(describeOlderPackages(requiredPackagesOf(''), resources)).toEqual([])
  expect(describeOlderPackages([], resources)).toEqual([])
})
