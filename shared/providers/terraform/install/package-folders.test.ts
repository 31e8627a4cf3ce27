import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hasPackages, listLocalPackages } from './package-folders.ts'

const address = { hostname: 'registry.example', namespace: 'acme', type: 'things' }
const platform = { os: 'linux', arch: 'amd64' }
let root: string
let packages: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'packages-'))
  packages = join(root, 'registry.example/acme/things')
  mkdirSync(packages, { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true }))

test('listLocalPackages finds versions with build metadata, unpacked and packed', () => {
  for (const name of ['1.0.0', '1.0.0+build.1', 'v1.0.0', '1.0'])
    mkdirSync(join(packages, name, 'linux_amd64'), { recursive: true })
  for (const version of ['2.0.0+build.1', 'v2.0.0'])
    writeFileSync(join(packages, `terraform-provider-things_${version}_linux_amd64.zip`), '')
  writeFileSync(join(packages, 'terraform-provider-things_3.0.0_darwin_arm64.zip'), '')
  const found = listLocalPackages(root, address, platform)
  expect(found.map(({ kind, version }) => `${kind} ${version}`).toSorted()).toEqual([
    'packed 2.0.0+build.1',
    'unpacked 1.0.0',
    'unpacked 1.0.0+build.1',
  ])
})

test('hasPackages accepts packages of any platform, and ignores files that are no packages', () => {
  writeFileSync(join(packages, 'backup.zip'), '')
  writeFileSync(join(packages, 'terraform-provider-other_1.0.0_linux_amd64.zip'), '')
  expect(hasPackages(root, address)).toBe(false)
  writeFileSync(join(packages, 'terraform-provider-things_1.0.0_darwin_arm64.zip'), '')
  expect(hasPackages(root, address)).toBe(true)
})
