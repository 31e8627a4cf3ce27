import { expect, test } from 'vitest'
import { type PropertyValue, secretOf, unknown } from '../../../values/value.ts'
import { emptyObjectOf } from '../values/empty-block.ts'
import {
  type CtyPath,
  createAttributeStep,
  createIndexStep,
  createKeyStep,
} from '../values/cty-path.ts'
import { type CtyValue, nullOf, numberOf } from '../values/cty-value.ts'
import { parseCtyNumber } from '../values/cty-number.ts'
import { decodeCtyJson } from '../values/decode-json.ts'
import { impliedTypeOf } from '../values/schema.ts'
import { listSensitivePaths } from '../values/sensitive-paths.ts'
import { unknownOf } from '../values/unknown-value.ts'
import { firewallBlock, firewallNames } from './firewall.fixture.ts'
import { freeShape } from './property-names.ts'
import { toOutputValue, toOutputs } from './to-outputs.ts'

const type = impliedTypeOf(firewallBlock)

function firewallWith(attributes: object): CtyValue {
  return decodeCtyJson(JSON.stringify(attributes), type)
}

/** Turns maps into plain objects, for comparison. A secret becomes `{ secret: … }`. */
function toPlain(value: PropertyValue): unknown {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, item]) => [key, toPlain(item)]))
  if (Array.isArray(value)) return value.map(toPlain)
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'secret'
    ? { secret: toPlain(value.value) }
    : value
}

const outputsOf = (value: CtyValue, paths: readonly CtyPath[] = []): unknown =>
  toPlain(toOutputs(firewallNames, value, paths))

test.each<[string, object, object]>([
  ['null properties to nothing', { id: 'a-1', name: null }, { id: 'a-1' }],
  [
    'lists and sets',
    { ip_range: ['b', 'a'], open_port: [1] },
    { ipRanges: ['a', 'b'], openPorts: [1] },
  ],
  [
    'objects of plain types',
    { owner: { full_name: 'x', phone_number: null } },
    { owner: { fullName: 'x' } },
  ],
  [
    'maps, whose keys stay',
    { user_labels: { a_key: { a_key: 'x' }, b_key: null } },
    { userLabels: { a_key: { aKey: 'x' }, b_key: null } },
  ],
  ['tuples', { version_pair: ['1', { is_new: true }] }, { versionPair: ['1', { isNew: true }] }],
  [
    'nested attributes',
    { entry: [{ entry_key: 'a' }], conf: { conf_key: 'b' } },
    { entries: [{ entryKey: 'a' }], conf: { confKey: 'b' } },
  ],
  [
    'blocks',
    { rule: [{ from_port: 1, target: [] }], policy: [], box: { key: 'k' } },
    { rules: [{ fromPort: 1, targets: [] }], policies: [], box: { key: 'k' } },
  ],
  ['maps of blocks', { route: { a_b: { to_host: 'h' } } }, { route: { a_b: { toHost: 'h' } } }],
  [
    'flattened blocks',
    { rate_limit: [{ max_rate: 1 }], gateway: [{ key_name: 'k' }] },
    { rateLimit: { maxRate: 1 }, gateway: { keyName: 'k' } },
  ],
  ['missing flattened blocks to nothing', { rate_limit: [], gateway: [] }, {}],
  [
    'values of any type',
    {
      extra: {
        value: { a_b: [1, 'x', null] },
        type: ['object', { a_b: ['tuple', ['number', 'string', 'string']] }],
      },
    },
    { extra: { a_b: [1, 'x', null] } },
  ],
  [
    'blocks with parts of any type',
    {
      free: {
        value: [{ any_value: 'x' }, { any_value: 1 }],
        type: [
          'tuple',
          [
            ['object', { any_value: 'string' }],
            ['object', { any_value: 'number' }],
          ],
        ],
      },
    },
    { frees: [{ anyValue: 'x' }, { anyValue: 1 }] },
  ],
])('toOutputs converts %s', (_case, attributes, outputs) => {
  expect(outputsOf(firewallWith(attributes))).toEqual(outputs)
})

test('unknown parts are unknown outputs, and null has no outputs', () => {
  const empty = emptyObjectOf(firewallBlock)
  const entries = new Map(empty.entries)
  for (const name of ['id', 'rate_limit', 'rule']) {
    const part = empty.entries.get(name)
    if (part !== undefined) entries.set(name, unknownOf(part.type))
  }
  expect(outputsOf({ ...empty, entries })).toEqual({
    id: unknown,
    rateLimit: unknown,
    rules: unknown,
    policies: [],
    route: {},
    groupBox: {},
    frees: [],
  })
  expect(toOutputs(firewallNames, nullOf(type), []).size).toBe(0)
  const unknowns = toOutputs(firewallNames, unknownOf(type), [])
  expect([...unknowns.keys()]).toEqual([...firewallNames.toTerraform.keys()])
  expect([...unknowns.values()].every(value => value === unknown)).toBe(true)
})

test.each<[string, number | string]>([
  ['1', 1],
  ['-0.1', -0.1],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', '9007199254740993'],
  ['18446744073709551615', '18446744073709551615'],
  ['1000000000000000000000', 1e21],
  ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
  [`1${'0'.repeat(400)}`, `1${'0'.repeat(400)}`],
  ['+Inf', '+Inf'],
])('the number $0 is the output $1', (text, output) => {
  const number = parseCtyNumber(text)
  expect(number).toBeDefined()
  if (number !== undefined) expect(toOutputValue(numberOf(number), freeShape, [])).toBe(output)
})

test.each<[string, object, CtyPath, object]>([
  ['an attribute', { name: 'n' }, [createAttributeStep('name')], { name: { secret: 'n' } }],
  [
    'an element of a list',
    { open_port: [1, 2] },
    [createAttributeStep('open_port'), createIndexStep(1)],
    { openPorts: [1, { secret: 2 }] },
  ],
  [
    'an attribute of an element of a map',
    { user_labels: { a: { a_key: 'x' } } },
    [createAttributeStep('user_labels'), createKeyStep('a'), createAttributeStep('a_key')],
    { userLabels: { a: { aKey: { secret: 'x' } } } },
  ],
  [
    'the whole set for one of its elements',
    { ip_range: ['a', 'b'] },
    [createAttributeStep('ip_range'), { kind: 'element', position: 0 }],
    { ipRanges: { secret: ['a', 'b'] } },
  ],
  [
    'a flattened block',
    { rate_limit: [{ max_rate: 1 }] },
    [createAttributeStep('rate_limit')],
    { rateLimit: { secret: { maxRate: 1 } } },
  ],
  [
    'a part of a flattened block',
    { rate_limit: [{ max_rate: 1 }] },
    [createAttributeStep('rate_limit'), createIndexStep(0), createAttributeStep('max_rate')],
    { rateLimit: { maxRate: { secret: 1 } } },
  ],
  [
    'the whole flattened set block for one of its parts',
    { gateway: [{ key_name: 'k' }] },
    [
      createAttributeStep('gateway'),
      { kind: 'element', position: 0 },
      createAttributeStep('key_name'),
    ],
    { gateway: { secret: { keyName: 'k' } } },
  ],
  [
    'a part of a value of any type',
    { extra: { value: { a: 'x' }, type: ['object', { a: 'string' }] } },
    [createAttributeStep('extra'), createAttributeStep('a')],
    { extra: { a: { secret: 'x' } } },
  ],
])('a sensitive path makes a secret of %s', (_case, attributes, path, outputs) => {
  expect(outputsOf(firewallWith(attributes), [path])).toEqual(outputs)
})

test('a sensitive path leaves other attributes plain, and a null absent', () => {
  const extraPath = [createAttributeStep('extra')]
  expect(outputsOf(firewallWith({ name: 'n' }), [extraPath])).toEqual({ name: 'n' })
  const namePath = [createAttributeStep('name')]
  expect(outputsOf(firewallWith({ name: null }), [namePath])).toEqual({})
})

test('secrets are not nested', () => {
  const paths = [
    [createAttributeStep('owner')],
    [createAttributeStep('owner'), createAttributeStep('full_name')],
  ]
  const outputs = toOutputs(firewallNames, firewallWith({ owner: { full_name: 'x' } }), paths)
  expect(outputs.get('owner')).toEqual(secretOf(new Map([['fullName', 'x']])))
})

test('the sensitive attributes of the schema are secrets', () => {
  const value = firewallWith({
    api_token: 't',
    entry: [{ entry_key: 'a', secret_key: 's' }],
    policy: [{ key: 'k', pass_phrase: 'p' }],
  })
  expect(outputsOf(value, listSensitivePaths(firewallBlock, value))).toEqual({
    apiToken: { secret: 't' },
    entries: [{ entryKey: 'a', secretKey: { secret: 's' } }],
    policies: { secret: [{ key: 'k', passPhrase: 'p' }] },
  })
})
