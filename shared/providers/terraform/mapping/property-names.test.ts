import { expect, test } from 'vitest'
import { createBlock, createNestedBlock, createPlainAttribute } from '../values/schema.fixture.ts'
import { parseTypeJson } from '../values/type-json.ts'
import { lowerFirst, toCamelCase, toSnakeCase, capitalize } from './camel-case.ts'
import { firewallBlock, firewallNames } from './firewall.fixture.ts'
import {
  type PropertyNames,
  type ValueShape,
  propertyNamesOf,
  shapeOfType,
} from './property-names.ts'

test.each([
  ['name', 'name'],
  ['cidr_block', 'cidrBlock'],
  ['b64_std', 'b64Std'],
  ['ipv6_1', 'ipv61'],
  ['a__b', 'aB'],
  ['_private', '_private'],
  ['__own_key', '__ownKey'],
  ['type_', 'type_'],
  ['type__', 'type_'],
  ['a_äb', 'aäb'],
  ['already_Upper', 'alreadyUpper'],
])('the name %s is %s in Pulumi', (tfName, name) => {
  expect(toCamelCase(tfName)).toBe(name)
})

test.each([
  ['cidrBlock', 'cidr_block'],
  ['Name', 'name'],
  ['httpURL', 'http_u_r_l'],
  ['ipv61', 'ipv61'],
])('the name %s is %s in Terraform', (name, tfName) => {
  expect(toSnakeCase(name)).toBe(tfName)
})

test('the case of the first letter changes in ASCII only', () => {
  expect([capitalize('pet'), capitalize('äh'), lowerFirst('Pet'), lowerFirst('3A')]).toEqual([
    'Pet',
    'äh',
    'pet',
    '3A',
  ])
})

function listNames({ toPulumi }: PropertyNames): Readonly<Record<string, string>> {
  return Object.fromEntries([...toPulumi].map(([tfName, { name }]) => [tfName, name]))
}

function namesAt(shape: ValueShape | undefined): Readonly<Record<string, string>> | undefined {
  if (shape?.kind === 'object') return listNames(shape.names)
  return shape !== undefined && 'element' in shape ? namesAt(shape.element) : undefined
}

test('lists and sets have plural names, unless they are flattened', () => {
  expect(listNames(firewallNames)).toEqual({
    id: 'id',
    name: 'name',
    ip_range: 'ipRanges',
    open_port: 'openPorts',
    user_labels: 'userLabels',
    owner: 'owner',
    version_pair: 'versionPair',
    extra: 'extra',
    api_token: 'apiToken',
    entry: 'entries',
    conf: 'conf',
    rule: 'rules',
    rate_limit: 'rateLimit',
    gateway: 'gateway',
    policy: 'policies',
    route: 'route',
    box: 'box',
    group_box: 'groupBox',
    free: 'frees',
  })
  const flattened = [...firewallNames.toPulumi].filter(([, { isFlattened }]) => isFlattened)
  expect(flattened.map(([tfName]) => tfName)).toEqual(['rate_limit', 'gateway'])
})

test('the attributes of blocks, nested attributes and object types have names, too', () => {
  const shapeOf = (tfName: string): ValueShape | undefined =>
    firewallNames.toPulumi.get(tfName)?.shape
  expect(namesAt(shapeOf('rule'))).toEqual({ from_port: 'fromPort', target: 'targets' })
  expect(namesAt(shapeOf('entry'))).toEqual({ entry_key: 'entryKey', secret_key: 'secretKey' })
  expect(namesAt(shapeOf('owner'))).toEqual({
    full_name: 'fullName',
    phone_number: 'phoneNumbers',
  })
  expect(namesAt(shapeOf('user_labels'))).toEqual({ a_key: 'aKey' })
  expect(shapeOf('extra')).toEqual({ kind: 'free' })
})

test('a plural name that a sibling has already is not used', () => {
  const names = propertyNamesOf(
    createBlock(
      { rule: createPlainAttribute('o', '["list","string"]'), rules: createPlainAttribute('o') },
      { policy: createNestedBlock('list', createBlock({})) },
    ),
  )
  expect(listNames(names)).toEqual({ rule: 'rule', rules: 'rules', policy: 'policies' })
})

test('of two attributes with one name in Pulumi, the first one is found', () => {
  const names = propertyNamesOf(
    createBlock({ a_b: createPlainAttribute('o'), a__b: createPlainAttribute('o') }),
  )
  expect(names.toTerraform).toEqual(new Map([['aB', 'a_b']]))
})

test('a block type is flattened only if at most one block is allowed', () => {
  const limits = [0, 1, 2].map(maxItems => createNestedBlock('set', createBlock({}), { maxItems }))
  const flags = limits.map(
    nested => propertyNamesOf(createBlock({}, { a: nested })).toPulumi.get('a')?.isFlattened,
  )
  expect(flags).toEqual([false, true, false])
})

test('an attribute with a list of objects is not flattened', () => {
  const names = propertyNamesOf(
    createBlock({ a: createPlainAttribute('o', '["list",["object",{}]]') }),
  )
  expect(names.toPulumi.get('a')).toMatchObject({ name: 'as', isFlattened: false })
})

test('the names of a schema are created once, and equal types have equal shapes', () => {
  expect(propertyNamesOf(firewallBlock)).toBe(firewallNames)
  const type = parseTypeJson('["object",{"a":"string"}]')
  expect(shapeOfType(type)).toEqual(shapeOfType(type))
})
