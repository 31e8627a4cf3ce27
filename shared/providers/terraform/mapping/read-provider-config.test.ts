import { expect, test } from 'vitest'
import { type PropertyMap, type PropertyValue, secretOf, unknown } from '../../../values/value.ts'
import { createBlock, createNestedBlock, createPlainAttribute } from '../values/schema.fixture.ts'
import { propertyNamesOf } from './property-names.ts'
import { readProviderConfig } from './read-provider-config.ts'
import type { TerraformInputs } from './rename-inputs.ts'

const block = createBlock(
  {
    end_point: createPlainAttribute('o'),
    retry_count: createPlainAttribute('o', '"number"'),
    is_verbose: createPlainAttribute('o', '"bool"'),
    zone: createPlainAttribute('o', '["list","string"]'),
    any: createPlainAttribute('o', '"dynamic"'),
  },
  {
    rate_limit: createNestedBlock('list', createBlock({ max_rate: createPlainAttribute('o') }), {
      maxItems: 1,
    }),
  },
)

const mapOf = (object: Readonly<Record<string, PropertyValue>>): PropertyMap =>
  new Map(Object.entries(object))

const read = (inputs: Readonly<Record<string, PropertyValue>>): TerraformInputs =>
  readProviderConfig(block, propertyNamesOf(block), mapOf(inputs))

test.each<
  [string, Readonly<Record<string, PropertyValue>>, Readonly<Record<string, PropertyValue>>]
>([
  [
    'properties in JSON',
    { retryCount: '3', isVerbose: 'true', zones: '["a","b"]', any: '{"aKey":null}' },
    { retry_count: 3, is_verbose: true, zone: ['a', 'b'], any: mapOf({ aKey: null }) },
  ],
  ['texts for text attributes, which stay', { endPoint: '["x"]' }, { end_point: '["x"]' }],
  [
    'values that are no texts, which stay',
    { retryCount: 3, zones: ['a'] },
    { retry_count: 3, zone: ['a'] },
  ],
  ['blocks in JSON', { rateLimit: '{"maxRate":"1"}' }, { rate_limit: [mapOf({ max_rate: '1' })] }],
  [
    'texts that are not JSON, which stay',
    { any: 'some text', retryCount: '' },
    { any: 'some text', retry_count: '' },
  ],
  [
    'numbers with all digits',
    { retryCount: '18446744073709551615', any: '[0.1,1e99999]' },
    { retry_count: '18446744073709551615', any: [0.1, '1e99999'] },
  ],
  [
    'secrets and unknown values',
    { zones: secretOf('["a"]'), retryCount: unknown },
    { zone: secretOf(['a']), retry_count: unknown },
  ],
])('a provider configuration may have %s', (_case, inputs, expected) => {
  expect(read(inputs)).toEqual({ inputs: mapOf(expected), droppedPaths: [] })
})

test("Pulumi's own inputs are dropped, and other unknown inputs are dropped and reported", () => {
  const { inputs, droppedPaths } = read({
    version: '1.0.0',
    pluginDownloadURL: 'x',
    __internal: '{}',
    other: '1',
    rateLimit: '{"nope":1}',
  })
  expect(inputs).toEqual(mapOf({ rate_limit: [mapOf({})] }))
  expect(droppedPaths).toEqual(['other', 'rateLimit.nope'])
})

test('a provider may have a property named version', () => {
  const versioned = createBlock({ version: createPlainAttribute('o') })
  const { inputs } = readProviderConfig(
    versioned,
    propertyNamesOf(versioned),
    mapOf({ version: '1' }),
  )
  expect(inputs).toEqual(mapOf({ version: '1' }))
})
