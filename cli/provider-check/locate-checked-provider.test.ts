import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { locateCheckedProvider } from './locate-checked-provider.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'locate-'))
  for (const name of ['pulumi-resource-shop', 'terraform-provider-shop_v1'])
    writeFileSync(join(folder, name), '')
  mkdirSync(join(folder, 'source'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  [['./pulumi-resource-shop'], 'pulumi', 'shop', 'pulumi-resource-shop'],
  [
    ['./terraform-provider-shop_v1'],
    'terraform',
    'terraform-provider-shop_v1',
    'terraform-provider-shop_v1',
  ],
  [['./source'], 'pulumi', 'source', 'source/pulumi-resource-source'],
])('locateCheckedProvider finds the file of %j', (operands, protocol, name, file) => {
  expect(locateCheckedProvider(folder, undefined, operands)).toEqual({
    protocol,
    name,
    version: '',
    path: join(folder, file),
  })
})

test.each([
  [['random'], 'pulumi', 'random', ''],
  [['random@4.0.0'], 'pulumi', 'random', '4.0.0'],
  [['random', '4.0.0'], 'pulumi', 'random', '4.0.0'],
  [['hashicorp/time'], 'terraform', 'hashicorp/time', ''],
  [['registry.example.com/a/b', '1.0.0'], 'terraform', 'registry.example.com/a/b', '1.0.0'],
])(
  'locateCheckedProvider reads protocol, name and version of %j',
  (operands, protocol, name, version) => {
    expect(locateCheckedProvider(folder, undefined, operands)).toEqual({
      protocol,
      name,
      version,
      path: undefined,
    })
  },
)

test('locateCheckedProvider follows --protocol, and refuses two versions', () => {
  expect(locateCheckedProvider(folder, 'terraform', ['time']).protocol).toBe('terraform')
  expect(() => locateCheckedProvider(folder, undefined, ['a@1.0.0', '2.0.0'])).toThrow(
    'two versions',
  )
})
