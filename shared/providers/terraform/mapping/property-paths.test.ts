import { expect, test } from 'vitest'
import {
  type CtyPath,
  createAttributeStep,
  formatCtyPath,
  createIndexStep,
  createKeyStep,
} from '../values/cty-path.ts'
import { decodeCtyJson } from '../values/decode-json.ts'
import { impliedTypeOf } from '../values/schema.ts'
import { firewallBlock, firewallNames } from './firewall.fixture.ts'
import { toCtyPaths, toPropertyPath } from './property-paths.ts'

/** A short name, because almost every path below begins with such a step. */
const a = createAttributeStep

const pairs: readonly (readonly [CtyPath, string])[] = [
  [[a('name')], 'name'],
  [[a('open_port'), createIndexStep(2)], 'openPorts[2]'],
  [[a('owner'), a('full_name')], 'owner.fullName'],
  [[a('user_labels'), createKeyStep('a_key'), a('a_key')], 'userLabels.a_key.aKey'],
  [[a('user_labels'), createKeyStep('a "b.c'), a('a_key')], 'userLabels["a \\"b.c"].aKey'],
  [[a('version_pair'), createIndexStep(1), a('is_new')], 'versionPair[1].isNew'],
  [[a('entry'), createIndexStep(0), a('entry_key')], 'entries[0].entryKey'],
  [
    [a('rule'), createIndexStep(0), a('target'), createIndexStep(1), a('key')],
    'rules[0].targets[1].key',
  ],
  [[a('rate_limit'), createIndexStep(0), a('max_rate')], 'rateLimit.maxRate'],
  [[a('gateway'), { kind: 'element', position: 0 }, a('key_name')], 'gateway.keyName'],
  [[a('rate_limit')], 'rateLimit'],
  [[a('route'), createKeyStep('x'), a('to_host')], 'route.x.toHost'],
  [[a('extra'), a('a_b'), createIndexStep(0)], 'extra.a_b[0]'],
]

test.each(pairs)('a Terraform path is spelled $1 in Pulumi', (path, text) => {
  expect(toPropertyPath(firewallNames, path)).toBe(text)
})

test.each(pairs)('the Pulumi path $1 leads to its Terraform path', (path, text) => {
  expect(toCtyPaths(firewallNames, text)).toEqual([path])
})

test('paths to elements of sets and to unknown names have a spelling, too', () => {
  const element = { kind: 'element', position: 1 } as const
  expect(toPropertyPath(firewallNames, [a('policy'), element, a('pass_phrase')])).toBe(
    'policies[1].passPhrase',
  )
  expect(toPropertyPath(firewallNames, [a('rate_limit'), createIndexStep(0)])).toBe('rateLimit')
  expect(toPropertyPath(firewallNames, [a('new_name'), a('in_it')])).toBe('new_name.in_it')
  expect(toPropertyPath(firewallNames, [])).toBe('')
})

test.each(['', 'nope', 'rules[0].nope', 'policies[0].key', 'openPorts.x', 'rules[', 'rule'])(
  'the path %j leads nowhere',
  text => {
    expect(toCtyPaths(firewallNames, text)).toEqual([])
  },
)

test('a wildcard stands for the elements of each value', () => {
  const type = impliedTypeOf(firewallBlock)
  const prior = decodeCtyJson(
    '{"rule":[{"from_port":1},{"from_port":2}],"route":{"a":{}},"rate_limit":[{"max_rate":1}]}',
    type,
  )
  const config = decodeCtyJson('{"rule":[{"from_port":1}],"route":{"b":{}}}', type)
  const pathsOf = (text: string): readonly string[] =>
    toCtyPaths(firewallNames, text, [prior, config]).map(formatCtyPath)
  expect(pathsOf('rules[*].fromPort')).toEqual(['rule[0].from_port', 'rule[1].from_port'])
  expect(pathsOf('route[*]')).toEqual(['route["a"]', 'route["b"]'])
  expect(pathsOf('rateLimit[*]')).toEqual(['rate_limit[0].max_rate'])
  expect(pathsOf('policies[*]')).toEqual([])
  expect(pathsOf('*')).toHaveLength(firewallNames.toPulumi.size)
  expect(toCtyPaths(firewallNames, 'rules[*]')).toEqual([])
})
