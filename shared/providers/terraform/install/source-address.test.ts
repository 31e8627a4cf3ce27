import { expect, test } from 'vitest'
import { createProviderFilter } from './provider-patterns.ts'
import { formatSourceAddress, parseSourceAddress } from './source-address.ts'

test.each([
  ['random', 'registry.opentofu.org/hashicorp/random'],
  ['Acme/Thing', 'registry.opentofu.org/acme/thing'],
  ['registry.terraform.io/hashicorp/random', 'registry.terraform.io/hashicorp/random'],
  ['EXAMPLE.com:443/acme/thing', 'example.com/acme/thing'],
  ['localhost:8443/acme/thing', 'localhost:8443/acme/thing'],
  ['bücher.example/acme/thing', 'xn--bcher-kva.example/acme/thing'],
])('the source address %s stands for %s', (source, full) => {
  expect(formatSourceAddress(parseSourceAddress(source))).toBe(full)
})

test.each([
  '',
  'a/b/c/d',
  'acme/',
  'acme/some_thing',
  'acme/a--b',
  'acme/-a',
  '../../etc',
  'ex ample.com/acme/thing',
  'acme/terraform-provider-random',
  'terraform.io/builtin/terraform',
])('the source address %j is refused', source => {
  expect(() => parseSourceAddress(source)).toThrow('is not an address of a Terraform provider')
})

test.each([
  ['hashicorp/*', 'hashicorp/random', true],
  ['hashicorp/*', 'acme/random', false],
  ['hashicorp/*', 'example.com/hashicorp/random', false],
  ['example.com/*/*', 'example.com/acme/thing', true],
  ['*/*/*', 'example.com/acme/thing', true],
  ['random', 'hashicorp/random', true],
])('whether the pattern %s matches the address %s: %s', (pattern, source, isMatch) => {
  const address = parseSourceAddress(source)
  expect(createProviderFilter({ include: [pattern], exclude: undefined })(address)).toBe(isMatch)
  expect(createProviderFilter({ include: undefined, exclude: [pattern] })(address)).toBe(!isMatch)
})

test.each(['a/b/c/d', '*/random', '*/acme/*'])('the pattern %s is refused', pattern => {
  expect(() => createProviderFilter({ include: [pattern], exclude: [] })).toThrow(
    'is not a pattern',
  )
})
