import { expect, test } from 'vitest'
import { type PropertyMap, type PropertyValue, secretOf, unknown } from '../../../values/value.ts'
import { decodeStored } from '../../../values/value-codec.ts'
import { recoverRawState } from './raw-state-delta.ts'

const read = (text: string): PropertyValue => decodeStored(JSON.parse(text), plaintext => plaintext)

function recover(outputs: string, delta: string): unknown {
  const text = recoverRawState(withDelta(outputs, delta))
  return text === undefined ? undefined : JSON.parse(text)
}

function withDelta(outputs: string, delta: string): PropertyMap {
  const map = read(outputs)
  return new Map(map instanceof Map ? map : []).set('__pulumi_raw_state_delta', read(delta))
}

test.each<[string, string, string, unknown]>([
  [
    'scalars, and lists of them',
    '{"a":"x","b":true,"c":0.1,"d":["y",["z"]]}',
    '{"obj":{}}',
    { a: 'x', b: true, c: 0.1, d: ['y', ['z']] },
  ],
  [
    'names in their usual and other spellings',
    '{"someName":1,"rules":["r"],"keyedId":"i"}',
    '{"obj":{"renamed":{"rules":"rule","keyedId":"id"}}}',
    { some_name: 1, rule: ['r'], id: 'i' },
  ],
  [
    'properties that are not in the outputs',
    '{"id":"i"}',
    '{"obj":{"ps":{"attrOne":{"replace":{"raw":null}},"rules":{"replace":{"raw":[]}}},"renamed":{"rules":"rule"}}}',
    { id: 'i', attr_one: null, rule: [] },
  ],
  [
    'properties of Pulumi only, which are dropped',
    '{"a":1,"b":2,"__meta":"{}","__defaults":[]}',
    '{"obj":{"ignored":["b"]}}',
    { a: 1 },
  ],
  [
    'objects in objects and lists',
    '{"a":{"oneKey":1},"b":[{"twoKey":2},{}]}',
    '{"obj":{"ps":{"a":{"obj":{}},"b":{"arr":{"el":{"0":{"obj":{"renamed":{"twoKey":"other"}}},"1":{"obj":{}}}}}}}}',
    { a: { one_key: 1 }, b: [{ other: 2 }, {}] },
  ],
  [
    'maps, whose keys stay',
    '{"a":{"oneKey":{"inKey":1},"two":{}}}',
    '{"obj":{"ps":{"a":{"map":{"el":{"oneKey":{"obj":{}},"two":{"map":{}}}}}}}}',
    { a: { oneKey: { in_key: 1 }, two: {} } },
  ],
  [
    'flattened values',
    '{"a":{"inKey":1},"b":null,"c":"x"}',
    '{"obj":{"ps":{"a":{"plu":{"i":{"obj":{}}}},"b":{"plu":{"i":{}}},"c":{"plu":{}}}}}',
    { a: [{ in_key: 1 }], b: [], c: ['x'] },
  ],
  [
    'verbatim values',
    '{"a":{"list":[1]}}',
    '{"obj":{"ps":{"a":{"replace":{"raw":{"type":["object",{"x":"number"}],"value":{"x":1}}}}}}}',
    { a: { type: ['object', { x: 'number' }], value: { x: 1 } } },
  ],
  [
    'secret outputs and secret verbatim values',
    '{"a":{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":"\\"s\\""}}',
    '{"obj":{"ps":{"b":{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":"{\\"replace\\":{\\"raw\\":[null]}}"}}}}',
    { a: 's', b: [null] },
  ],
])('the recovery of a state from outputs and a delta covers %s', (_case, outputs, delta, state) => {
  expect(recover(outputs, delta)).toEqual(state)
})

test('numbers in texts keep their digits, and doubles have no exponent', () => {
  const state = recoverRawState(
    withDelta('{"a":"18446744073709551615","b":1e21,"c":1e-7}', '{"obj":{"ps":{"a":{"num":{}}}}}'),
  )
  expect(state).toBe('{"a":18446744073709551615,"b":1000000000000000000000,"c":0.0000001}')
})

test('outputs without a delta give no state', () => {
  expect(recoverRawState(new Map([['a', 1]]))).toBeUndefined()
})

test.each<[string, string, string]>([
  ['an object without a delta of its own', '{"a":{}}', '{"obj":{}}'],
  ['a list in place of an object', '{"a":[]}', '{"obj":{"ps":{"a":{"obj":{}}}}}'],
  ['a text in place of a map', '{"a":"x"}', '{"obj":{"ps":{"a":{"map":{}}}}}'],
  ['an object in place of a list', '{"a":{}}', '{"obj":{"ps":{"a":{"arr":{}}}}}'],
  [
    'a list that is too short',
    '{"a":["x"]}',
    '{"obj":{"ps":{"a":{"arr":{"el":{"1":{"num":{}}}}}}}}',
  ],
  ['a text that is no number', '{"a":"x"}', '{"obj":{"ps":{"a":{"num":{}}}}}'],
  ['an infinite number', '{"a":"inf"}', '{"obj":{"ps":{"a":{"num":{}}}}}'],
  ['a number that is no text', '{"a":1}', '{"obj":{"ps":{"a":{"num":{}}}}}'],
  ['an asset', '{"a":"x"}', '{"obj":{"ps":{"a":{"asset":{"kind":1}}}}}'],
  ['an unknown kind', '{"a":"x"}', '{"obj":{"ps":{"a":{"new":{}}}}}'],
  ['an empty delta for an object', '{"a":"x"}', '{}'],
])('a delta that does not fit the outputs gives no state: %s', (_case, outputs, delta) => {
  expect(recover(outputs, delta)).toBeUndefined()
})

test('outputs that JSON cannot contain give no state', () => {
  const delta = read('{"obj":{}}')
  const asset = { kind: 'asset', hash: '', source: undefined } as const
  const values = [unknown, secretOf(unknown), [asset], Number.NaN]
  const states = values.map(value =>
    recoverRawState(
      new Map<string, PropertyValue>([
        ['a', value],
        ['__pulumi_raw_state_delta', delta],
      ]),
    ),
  )
  expect(states).toEqual(values.map(() => undefined))
})

test('the state of a resource that the bridge recorded is recovered', () => {
  const secretNull =
    '{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","plaintext":"{\\"replace\\":{\\"raw\\":null}}"}'
  const outputs = `{"__meta":"{}","box":{"gen":"gen-b","key":"b"},"id":"a-1","limit":{"rate":5},
    "route":{"x y":{"target":"t1"}},"rules":[{"key":"one","port":80,"steps":[{"key":"s1"}]},{"key":"two"}]}`
  const delta = `{"obj":{"ps":{"box":{"obj":{}},"limit":{"plu":{"i":{"obj":{"ps":{"key":${secretNull}}}}}},
    "route":{"map":{"el":{"x y":{"obj":{}}}}},"rules":{"arr":{"el":{
      "0":{"obj":{"ps":{"steps":{"arr":{"el":{"0":{"obj":{}}}}}},"renamed":{"steps":"step"}}},
      "1":{"obj":{"ps":{"port":${secretNull},"steps":${secretNull}},"renamed":{"steps":"step"}}}}}}},
    "renamed":{"rules":"rule"}}}`
  expect(recover(outputs, delta)).toEqual({
    box: { gen: 'gen-b', key: 'b' },
    id: 'a-1',
    limit: [{ rate: 5, key: null }],
    route: { 'x y': { target: 't1' } },
    rule: [
      { key: 'one', port: 80, step: [{ key: 's1' }] },
      { key: 'two', port: null, step: null },
    ],
  })
})
