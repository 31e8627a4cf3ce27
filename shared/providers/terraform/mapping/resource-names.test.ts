import { expect, test } from 'vitest'
import type { AttributeSchema } from '../values/schema.ts'
import { createBlock, createNestedBlock, createPlainAttribute } from '../values/schema.fixture.ts'
import {
  type ResourceNames,
  nameResourceProperties,
  stripResourcePrefix,
} from './resource-names.ts'

function nameKeyed(attributes: Readonly<Record<string, AttributeSchema>>): ResourceNames {
  return nameResourceProperties(createBlock(attributes), {
    typeName: 'gold_keyed',
    providerName: 'my-gold',
    prefix: 'gold',
  })
}

const nameOf = (names: ResourceNames, tfName: string): string | undefined =>
  names.toPulumi.get(tfName)?.name

test.each([
  ['a computed text', createPlainAttribute('c'), 'id', { kind: 'computed' }],
  ['a required text', createPlainAttribute('r'), 'keyedId', { kind: 'property', tfName: 'id' }],
  [
    'an optional and computed text',
    createPlainAttribute('oc'),
    'keyedId',
    { kind: 'property', tfName: 'id' },
  ],
  ['an optional text', createPlainAttribute('o'), 'keyedId', { kind: 'none' }],
  ['a computed number', createPlainAttribute('c', '"number"'), 'keyedId', { kind: 'none' }],
  [
    'a required number',
    createPlainAttribute('r', '"number"'),
    'keyedId',
    { kind: 'property', tfName: 'id' },
  ],
])(
  'if the attribute id is %s, its name is $2, and the source of the ID is $3',
  (_case, id, name, source) => {
    const names = nameKeyed({ id })
    expect(nameOf(names, 'id')).toBe(name)
    expect(names.toTerraform.get(name)).toBe('id')
    expect(names.idSource).toEqual(source)
  },
)

test('a resource without the attribute id has no source of its ID', () => {
  expect(nameKeyed({ name: createPlainAttribute('r') }).idSource).toEqual({ kind: 'none' })
})

test('a block named id is renamed, and is no source of the ID', () => {
  const names = nameResourceProperties(
    createBlock({}, { id: createNestedBlock('single', createBlock({})) }),
    { typeName: 'gold_keyed', providerName: 'gold', prefix: 'gold' },
  )
  expect(nameOf(names, 'id')).toBe('keyedId')
  expect(names.idSource).toEqual({ kind: 'none' })
})

test('a renamed attribute id takes the first free name', () => {
  const taken = ['keyed_id', 'my_gold_keyed_id', 'resource_id', 'my_gold_id']
  const names = taken.map((_name, index) => {
    const others = taken.slice(0, index + 1).map(name => [name, createPlainAttribute('o')] as const)
    return nameOf(nameKeyed({ id: createPlainAttribute('r'), ...Object.fromEntries(others) }), 'id')
  })
  expect(names).toEqual(['myGoldKeyedId', 'resourceId', 'myGoldId', 'resourceId_'])
})

// A lookup in a plain object would find the field of every object, and the provider would not load.
test('an attribute named constructor keeps its name', () => {
  expect(nameOf(nameKeyed({ constructor: createPlainAttribute('o') }), 'constructor')).toBe(
    'constructor',
  )
})

test('the attributes urn and pulumi are renamed', () => {
  const names = nameKeyed({ urn: createPlainAttribute('o'), pulumi: createPlainAttribute('o') })
  expect(nameOf(names, 'urn')).toBe('myGoldUrn')
  expect(nameOf(names, 'pulumi')).toBe('pulumiInfo')
  expect(names.toTerraform.has('urn')).toBe(false)
  const taken = { my_gold_urn: createPlainAttribute('o'), pulumi_info: createPlainAttribute('o') }
  const others = nameKeyed({
    ...taken,
    urn: createPlainAttribute('o'),
    pulumi: createPlainAttribute('o'),
  })
  expect([nameOf(others, 'urn'), nameOf(others, 'pulumi')]).toEqual([
    'resourceUrn',
    'resourcePulumi',
  ])
})

test.each([
  ['random_pet', 'random', 'pet'],
  ['random_a_b', 'random', 'a_b'],
  ['random', 'random', 'random'],
  ['randomly_a', 'random', 'randomly_a'],
  ['other_pet', 'random', 'other_pet'],
  ['random__pet', 'random', 'pet'],
])('the name %s without the prefix %s is %s', (typeName, prefix, name) => {
  expect(stripResourcePrefix(typeName, prefix)).toBe(name)
})
