/** The names of the package of hashicorp/random 3.3.0, as Pulumi's bridge has them. */
import { expect, test } from 'vitest'
import { createBlock, createPlainAttribute } from '../values/schema.fixture.ts'
import { nameResourceProperties } from './resource-names.ts'
import { assignTokens } from './tokens.ts'

const keepers = createPlainAttribute('o', '["map","string"]')
const optional = createPlainAttribute('o')
const computed = createPlainAttribute('c')

const textOptions = {
  length: createPlainAttribute('r', '"number"'),
  special: optional,
  upper: optional,
  lower: optional,
  number: optional,
  numeric: optional,
  min_numeric: optional,
  min_upper: optional,
  min_lower: optional,
  min_special: optional,
  override_special: optional,
  result: computed,
}

const attributes = {
  random_id: {
    byte_length: createPlainAttribute('r', '"number"'),
    prefix: optional,
    b64_url: computed,
    b64_std: computed,
    hex: computed,
    dec: computed,
  },
  random_integer: { max: optional, min: optional, seed: optional, result: computed },
  random_password: { ...textOptions, bcrypt_hash: computed },
  random_pet: { length: optional, prefix: optional, separator: optional },
  random_shuffle: {
    seed: optional,
    input: createPlainAttribute('r', '["list","string"]'),
    result_count: optional,
    result: createPlainAttribute('c', '["list","string"]'),
  },
  random_string: textOptions,
  random_uuid: { result: computed },
}

/** The properties of both `random_password` and `random_string`. */
const textNames =
  'keepers length lower minLower minNumeric minSpecial minUpper number numeric overrideSpecial result special upper'

test('the tokens and the properties of random are those of the bridge', () => {
  const tokens = assignTokens({
    packageName: 'random',
    providerName: 'random',
    resources: Object.keys(attributes),
    dataSources: [],
    functions: [],
    listResources: [],
    actions: [],
    isIncluded: () => true,
  })
  const table = Object.entries(attributes).map(([typeName, typeAttributes]) => {
    const block = createBlock({ id: computed, keepers, ...typeAttributes })
    const names = nameResourceProperties(block, {
      typeName,
      providerName: 'random',
      prefix: 'random',
    })
    expect(names.idSource).toEqual({ kind: 'computed' })
    const properties = [...names.toPulumi.values()].map(({ name }) => name)
    const sortedNames = properties.filter(name => name !== 'id').toSorted()
    return [tokens.resources.toToken.get(typeName), sortedNames.join(' ')]
  })
  expect(table).toEqual([
    ['random:index/id:Id', 'b64Std b64Url byteLength dec hex keepers prefix'],
    ['random:index/integer:Integer', 'keepers max min result seed'],
    ['random:index/password:Password', `bcryptHash ${textNames}`],
    ['random:index/pet:Pet', 'keepers length prefix separator'],
    ['random:index/shuffle:Shuffle', 'inputs keepers resultCount results seed'],
    ['random:index/string:String', textNames],
    ['random:index/uuid:Uuid', 'keepers result'],
  ])
})
