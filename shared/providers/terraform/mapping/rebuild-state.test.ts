import { expect, test } from 'vitest'
import { type PropertyMap, type PropertyValue, secretOf, unknown } from '../../../values/value.ts'
import { formatCtyPath } from '../values/cty-path.ts'
import { decodeCtyJson } from '../values/decode-json.ts'
import { emptyObjectOf } from '../values/empty-block.ts'
import { encodeCtyJson } from '../values/encode-json.ts'
import { impliedTypeOf } from '../values/schema.ts'
import { createBlock, createNestedBlock, createPlainAttribute } from '../values/schema.fixture.ts'
import { unknownPathsOf } from '../values/walk-value.ts'
import { firewallBlock, firewallNames } from './firewall.fixture.ts'
import { propertyNamesOf } from './property-names.ts'
import { rebuildState } from './rebuild-state.ts'
import { toOutputs } from './to-outputs.ts'

const type = impliedTypeOf(firewallBlock)
const mapOf = (object: Readonly<Record<string, PropertyValue>>): PropertyMap =>
  new Map(Object.entries(object))
const rebuild = (outputs: PropertyMap): ReturnType<typeof rebuildState> =>
  rebuildState(firewallBlock, firewallNames, outputs)

test('the state that is rebuilt from outputs equals the state that gave them', () => {
  const stored = `{"api_token":"t","box":{"key":"k"},"conf":{"conf_key":"c"},
    "entry":[{"entry_key":"e","secret_key":null}],
    "extra":{"value":["x",1],"type":["tuple",["string","number"]]},
    "free":{"value":[{"any_value":"x"},{"any_value":1}],
      "type":["tuple",[["object",{"any_value":"string"}],["object",{"any_value":"number"}]]]},
    "gateway":[{"key_name":"g"}],"group_box":{"key":null},"id":"a-1","ip_range":["a","b"],
    "name":"n","open_port":[1,18446744073709551615],"owner":{"full_name":"o","phone_number":null},
    "policy":[{"key":"k","pass_phrase":"p"}],"rate_limit":[{"max_rate":0.1}],
    "route":{"a b":{"to_host":"h"}},"rule":[{"from_port":1,"target":[{"key":"k"}]}],
    "user_labels":{"k":{"a_key":"x"}},"version_pair":["1",{"is_new":true}]}`
  const value = decodeCtyJson(stored, type)
  const { value: rebuilt, problems } = rebuild(toOutputs(firewallNames, value, []))
  expect(problems).toEqual([])
  expect(encodeCtyJson(rebuilt, type)).toBe(encodeCtyJson(value, type))
})

test('absent outputs are null attributes and empty blocks', () => {
  const { value, problems } = rebuild(mapOf({ __meta: '{}', removedByHand: 1 }))
  expect(problems).toEqual([])
  expect(encodeCtyJson(value, type)).toBe(encodeCtyJson(emptyObjectOf(firewallBlock), type))
})

test('attributes that only the provider sets are kept', () => {
  const block = createBlock(
    { id: createPlainAttribute('c'), serial: createPlainAttribute('c', '"number"') },
    { part: createNestedBlock('list', createBlock({ arn: createPlainAttribute('c') })) },
  )
  const outputs = mapOf({ id: 'a-1', serial: '1', parts: [mapOf({ arn: 'x' })] })
  const { value, problems } = rebuildState(block, propertyNamesOf(block), outputs)
  expect(problems).toEqual([])
  expect(encodeCtyJson(value, impliedTypeOf(block))).toBe(
    '{"id":"a-1","part":[{"arn":"x"}],"serial":1}',
  )
})

test('secret outputs are sensitive paths', () => {
  const { sensitivePaths } = rebuild(
    mapOf({
      name: secretOf('n'),
      rules: [mapOf({ fromPort: secretOf(1) })],
      policies: [mapOf({ key: secretOf('k') })],
      rateLimit: mapOf({ maxRate: secretOf(1) }),
      route: mapOf({ a: secretOf(mapOf({ toHost: 'h' })) }),
    }),
  )
  expect(sensitivePaths.map(formatCtyPath).toSorted()).toEqual([
    'name',
    'policy',
    'rate_limit[0].max_rate',
    'route["a"]',
    'rule[0].from_port',
  ])
})

test('unknown outputs are unknown parts', () => {
  const { value } = rebuild(mapOf({ name: unknown, rules: unknown, policies: [unknown] }))
  expect(unknownPathsOf(value).map(formatCtyPath)).toEqual(['name', 'policy[set element]', 'rule'])
})

test('outputs that do not fit the schema are problems', () => {
  const { value, problems } = rebuild(
    mapOf({ rules: 'x', route: [], box: 1, openPorts: 'y', policies: [1] }),
  )
  expect(problems.map(({ path }) => formatCtyPath(path)).toSorted()).toEqual([
    'box',
    'open_port',
    'policy[set element]',
    'route',
    'rule',
  ])
  expect(value).toMatchObject({ kind: 'object' })
})
