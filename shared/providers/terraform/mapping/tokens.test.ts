import { expect, test } from 'vitest'
import { type PackageTokens, assignTokens, findTerraformName } from './tokens.ts'

interface Names {
  readonly resources?: readonly string[]
  readonly dataSources?: readonly string[]
  readonly functions?: readonly string[]
  readonly listResources?: readonly string[]
  readonly actions?: readonly string[]
}

function assign(names: Names, packageName = 'gold'): PackageTokens {
  return assignTokens({
    packageName,
    providerName: packageName,
    resources: [],
    dataSources: [],
    functions: [],
    listResources: [],
    actions: [],
    isIncluded: () => true,
    ...names,
  })
}

test('the tokens of resources, data sources and functions have their own forms', () => {
  const tokens = assign(
    {
      resources: ['random_pet', 'random_bytes_list'],
      dataSources: ['random_pet'],
      functions: ['parse_arn'],
    },
    'random',
  )
  expect(Object.fromEntries(tokens.resources.toToken)).toEqual({
    random_pet: 'random:index/pet:Pet',
    random_bytes_list: 'random:index/bytesList:BytesList',
  })
  expect(tokens.dataSources.toToken.get('random_pet')).toBe('random:index/getPet:getPet')
  expect(tokens.functions.toToken.get('parse_arn')).toBe('random:index/parseArn:parseArn')
  expect(tokens.resources.toTerraform.get('random:index/pet:Pet')).toBe('random_pet')
})

test.each<[string, readonly string[], string, readonly string[]]>([
  ['is the one that all resource names have', ['cloud_a', 'cloud_b_c'], 'cloud', ['A', 'BC']],
  ['ignores names of one segment', ['cloud_a', 'other'], 'cloud', ['A', 'Other']],
  [
    'is the name of the provider if the resources have different ones',
    ['other_b', 'gold_a'],
    'gold',
    ['OtherB', 'A'],
  ],
  ['is the name of the provider if there are no resources', [], 'gold', []],
  ['is the name of the provider if all names have one segment', ['thing'], 'gold', ['Thing']],
  ['may be a whole resource name', ['cloud_a', 'cloud'], 'cloud', ['A', 'Cloud']],
])('the prefix %s', (_case, resources, prefix, names) => {
  const tokens = assign({ resources })
  expect(tokens.prefix).toBe(prefix)
  const assigned = resources.map(tfName => tokens.resources.toToken.get(tfName)?.split(':')[2])
  expect(assigned).toEqual(names)
})

test('tokens of list resources and actions begin with a verb, and differ from those of functions', () => {
  const tokens = assign(
    {
      resources: ['random_pet'],
      functions: ['list_pet'],
      listResources: ['random_pet'],
      actions: ['random_shuffle'],
    },
    'random',
  )
  expect(tokens.listResources.toToken.get('random_pet')).toBe('random:index/listPetV2:listPetV2')
  expect(tokens.actions.toToken.get('random_shuffle')).toBe('random:index/runShuffle:runShuffle')
})

test('a dash separates words like an underscore, and a first digit is spelled out', () => {
  const { resources, functions } = assign({
    resources: ['gold_my-thing', 'gold_3scale', 'gold_4_ever'],
    functions: ['2nd-value'],
  })
  expect([...resources.toToken.values()]).toEqual([
    'gold:index/threeScale:ThreeScale',
    'gold:index/fourEver:FourEver',
    'gold:index/myThing:MyThing',
  ])
  expect([...functions.toToken.values()]).toEqual(['gold:index/twoNdValue:TwoNdValue'])
})

test('names that differ in case only are numbered in the order of Terraform names', () => {
  const { resources, dataSources } = assign({
    resources: ['gold_things', 'gold_thing_s', 'gold_THINGS', 'gold_thing_sv2'],
    dataSources: ['gold_things', 'gold_thing_s'],
  })
  expect(Object.fromEntries(resources.toToken)).toEqual({
    gold_THINGS: 'gold:index/tHINGS:THINGS',
    gold_thing_s: 'gold:index/thingSV2:ThingSV2',
    gold_thing_sv2: 'gold:index/thingSv2V2:ThingSv2V2',
    gold_things: 'gold:index/thingsV3:ThingsV3',
  })
  expect(Object.fromEntries(dataSources.toToken)).toEqual({
    gold_thing_s: 'gold:index/getThingS:getThingS',
    gold_things: 'gold:index/getThingsV2:getThingsV2',
  })
})

test('a function with the token of a data source is numbered', () => {
  const { functions } = assign({ dataSources: ['gold_thing'], functions: ['get_thing', 'thing'] })
  expect(Object.fromEntries(functions.toToken)).toEqual({
    get_thing: 'gold:index/getThingV2:getThingV2',
    thing: 'gold:index/thing:thing',
  })
})

test('a resource named like the provider itself gets another name', () => {
  const tokenOf = (resources: readonly string[]): string | undefined =>
    assign({ resources }).resources.toToken.get('gold_provider')
  expect(tokenOf(['gold_provider'])).toBe('gold:index/goldProvider:GoldProvider')
  expect(tokenOf(['gold_provider', 'gold_gold_provider'])).toBe(
    'gold:index/providerResource:ProviderResource',
  )
  const { dataSources } = assign({ dataSources: ['gold_provider'] })
  expect([...dataSources.toToken.values()]).toEqual(['gold:index/getProvider:getProvider'])
})

test('a token is found in its full form and in its short forms', () => {
  const { resources, dataSources } = assign({
    resources: ['gold_big_thing'],
    dataSources: ['gold_big_thing'],
  })
  const knownTokens = ['gold:index/bigThing:BigThing', 'gold:index:BigThing', 'gold:BigThing']
  expect(knownTokens.map(token => findTerraformName(resources, token))).toEqual(
    knownTokens.map(() => 'gold_big_thing'),
  )
  expect(findTerraformName(dataSources, 'gold:getBigThing')).toBe('gold_big_thing')
  const unknownTokens = [
    'gold:index/other:BigThing',
    'gold:other:BigThing',
    'silver:BigThing',
    'gold:bigThing',
    'gold:index:BigThing:x',
    'gold',
    '',
  ]
  expect(unknownTokens.map(token => findTerraformName(resources, token))).toEqual(
    unknownTokens.map(() => undefined),
  )
})
