import { expect, test } from 'vitest'
import { type PropertyMap, type PropertyValue, secretOf, unknown } from '../../../values/value.ts'
import { buildConfig } from '../values/build-config.ts'
import { encodeCtyJson } from '../values/encode-json.ts'
import { impliedTypeOf } from '../values/schema.ts'
import { unknownPathsOf } from '../values/walk-value.ts'
import { formatCtyPath } from '../values/cty-path.ts'
import { firewallBlock, firewallNames } from './firewall.fixture.ts'
import { toTerraformInputs } from './rename-inputs.ts'

const mapOf = (object: Readonly<Record<string, PropertyValue>>): PropertyMap =>
  new Map(Object.entries(object))

test.each<
  [string, Readonly<Record<string, PropertyValue>>, Readonly<Record<string, PropertyValue>>]
>([
  [
    'attributes and elements of lists',
    { ipRanges: ['a'], openPorts: [1] },
    { ip_range: ['a'], open_port: [1] },
  ],
  [
    'objects of plain types',
    { owner: mapOf({ fullName: 'x', phoneNumbers: ['1'] }) },
    { owner: mapOf({ full_name: 'x', phone_number: ['1'] }) },
  ],
  [
    'values of maps, but not their keys',
    { userLabels: mapOf({ aKey: mapOf({ aKey: 'x' }) }) },
    { user_labels: mapOf({ aKey: mapOf({ a_key: 'x' }) }) },
  ],
  [
    'elements of tuples',
    { versionPair: ['1', mapOf({ isNew: true })] },
    { version_pair: ['1', mapOf({ is_new: true })] },
  ],
  [
    'nested attributes',
    { entries: [mapOf({ entryKey: 'a' }), null], conf: mapOf({ confKey: 'b' }) },
    { entry: [mapOf({ entry_key: 'a' }), null], conf: mapOf({ conf_key: 'b' }) },
  ],
  [
    'blocks',
    {
      rules: [mapOf({ fromPort: 1, targets: [mapOf({ key: 'k' })] })],
      groupBox: mapOf({ key: 'g' }),
    },
    {
      rule: [mapOf({ from_port: 1, target: [mapOf({ key: 'k' })] })],
      group_box: mapOf({ key: 'g' }),
    },
  ],
  [
    'maps of blocks',
    { route: mapOf({ someKey: mapOf({ toHost: 'h' }) }) },
    { route: mapOf({ someKey: mapOf({ to_host: 'h' }) }) },
  ],
  [
    'flattened blocks, which become lists',
    { rateLimit: mapOf({ maxRate: 1 }), gateway: mapOf({ keyName: 'k' }) },
    { rate_limit: [mapOf({ max_rate: 1 })], gateway: [mapOf({ key_name: 'k' })] },
  ],
  ['flattened blocks that are null', { rateLimit: null }, { rate_limit: null }],
  ['values of any type, which stay', { extra: mapOf({ aKey: 1 }) }, { extra: mapOf({ aKey: 1 }) }],
  ['values of a wrong kind, which stay', { rules: 'x', owner: 1 }, { rule: 'x', owner: 1 }],
])('the renaming of inputs covers %s', (_case, inputs, expected) => {
  expect(toTerraformInputs(firewallNames, mapOf(inputs))).toEqual({
    inputs: mapOf(expected),
    droppedPaths: [],
  })
})

test('the wrappers of inputs stay around the renamed values', () => {
  const owner = mapOf({ fullName: 'x' })
  const output = { kind: 'output', secret: true, dependencies: [] } as const
  const { inputs } = toTerraformInputs(
    firewallNames,
    mapOf({
      owner: secretOf(owner),
      rateLimit: secretOf(mapOf({ maxRate: 1 })),
      conf: { ...output, value: mapOf({ confKey: 'c' }) },
      gateway: output,
      rules: unknown,
    }),
  )
  expect(inputs).toEqual(
    mapOf({
      owner: secretOf(mapOf({ full_name: 'x' })),
      rate_limit: secretOf([mapOf({ max_rate: 1 })]),
      conf: { ...output, value: mapOf({ conf_key: 'c' }) },
      gateway: output,
      rule: unknown,
    }),
  )
})

test("unknown properties are dropped and their paths reported, and Pulumi's own are dropped without a report", () => {
  const { inputs, droppedPaths } = toTerraformInputs(
    firewallNames,
    mapOf({
      name: 'n',
      other: 1,
      open_port: [1],
      __defaults: [],
      rules: [mapOf({ fromPort: 1, nope: 2, __defaults: [] })],
      route: mapOf({ 'a b': mapOf({ nope: 1 }) }),
      rateLimit: mapOf({ nope: 1 }),
    }),
  )
  expect(droppedPaths).toEqual([
    'other',
    'open_port',
    'rules[0].nope',
    'route["a b"].nope',
    'rateLimit.nope',
  ])
  expect(inputs).toEqual(
    mapOf({
      name: 'n',
      rule: [mapOf({ from_port: 1 })],
      route: mapOf({ 'a b': mapOf({}) }),
      rate_limit: [mapOf({})],
    }),
  )
})

test('a configuration is built from renamed inputs', () => {
  const { inputs } = toTerraformInputs(
    firewallNames,
    mapOf({
      name: 'n',
      ipRanges: ['b', 'a', 'b'],
      rateLimit: mapOf({ maxRate: '7' }),
      gateway: unknown,
    }),
  )
  const { value, problems } = buildConfig(firewallBlock, inputs)
  expect(problems).toEqual([])
  expect(unknownPathsOf(value).map(formatCtyPath)).toEqual(['gateway'])
  const known = buildConfig(firewallBlock, new Map(inputs).set('gateway', null)).value
  expect(JSON.parse(encodeCtyJson(known, impliedTypeOf(firewallBlock)))).toMatchObject({
    ip_range: ['a', 'b'],
    rate_limit: [{ max_rate: 7 }],
    gateway: [],
    rule: [],
    box: null,
    group_box: { key: null },
  })
})
