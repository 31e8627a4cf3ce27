import { expect, test } from 'vitest'
import { formatPackageParameter, parsePackageArguments } from './package-arguments.ts'
import { parsePackageParameter } from './package-parameter.ts'

const noFilter = { includes: [], excludes: [], providerName: undefined }

test('the arguments of a package are a source with a version, or a path', () => {
  expect(parsePackageArguments(['hashicorp/random', '~> 3.5'])).toEqual({
    ...noFilter,
    kind: 'remote',
    source: 'hashicorp/random',
    version: '~> 3.5',
  })
  expect(parsePackageArguments(['random'])).toMatchObject({ source: 'random', version: '' })
  expect(parsePackageArguments(['./terraform-provider-x'])).toEqual({
    ...noFilter,
    kind: 'local',
    path: './terraform-provider-x',
  })
})

test('options of a package select types and name the package', () => {
  expect(
    parsePackageArguments([
      ...['--include', 'random_pet, random_id', '--include=random_uuid', 'random'],
      ...['--exclude', 'random_string', '--provider-name', 'dice'],
    ]),
  ).toMatchObject({
    source: 'random',
    includes: ['random_pet', 'random_id', 'random_uuid'],
    excludes: ['random_string'],
    providerName: 'dice',
  })
})

test.each([
  [[], 'they name no provider'],
  [['random', '3.5.0', 'more'], "nothing may follow the version, but 'more' does"],
  [['./terraform-provider-x', '1.0.0'], "a local provider has no version, but has '1.0.0'"],
  [['random', '--all'], "'--all' is not an option"],
  [['random', '--include'], "'--include' needs a value"],
])('the arguments %j are refused', (args, problem) => {
  expect(() => parsePackageArguments(args)).toThrow(problem)
})

test('a formatted parameter equals the one that Pulumi writes, and can be parsed', () => {
  const parameter = parsePackageArguments(['h.io/ns/random', '3.3.0', '--exclude', 'random_id'])
  const base64 = formatPackageParameter(parameter)
  expect(Buffer.from(base64, 'base64').toString()).toBe(
    '{"remote":{"url":"h.io/ns/random","version":"3.3.0"},"excludes":["random_id"]}',
  )
  expect(parsePackageParameter(base64)).toEqual(parameter)
})

test('a formatted parameter keeps the metadata of the package', () => {
  const parameter = {
    ...parsePackageArguments(['./terraform-provider-x']),
    providerMeta: { module_name: 'm' },
  }
  expect(parsePackageParameter(formatPackageParameter(parameter))).toEqual(parameter)
})
