import { expect, test } from 'vitest'
import { hasCode, messageOf } from '../../../errors/error.ts'
import { listOf, objectOf } from './build-value.ts'
import { positiveInfinity } from './cty-number.ts'
import { numberType, stringType } from './type-system.ts'
import { numberOf, stringOf } from './cty-value.ts'
import { decodeCtyJson } from './decode-json.ts'
import { encodeCtyJson } from './encode-json.ts'
import { parseTypeJson } from './type-json.ts'
import { unknownOf } from './unknown-value.ts'

/** Decodes a text and encodes the value again. */
const reformat = (text: string, type: string): string =>
  encodeCtyJson(decodeCtyJson(text, parseTypeJson(type)), parseTypeJson(type))

/** Returns the message with which a call refuses a provider's value. */
function refusalOf(run: () => unknown): string {
  try {
    run()
  } catch (thrown) {
    if (hasCode(thrown, 'TERRAFORM_PROVIDER_BUG')) return messageOf(thrown)
  }
  throw new Error('nothing was refused')
}

test.each([
  ['null', '"string"', 'null'],
  ['9007199254740993', '"number"', '9007199254740993'],
  ['0.1000000000000000055511151231257827', '"number"', '0.1000000000000000055511151231257827'],
  ['1e3', '"number"', '1000'],
  ['"12"', '"number"', '12'],
  ['12.50', '"string"', '"12.50"'],
  ['true', '"string"', '"true"'],
  ['"true"', '"bool"', 'true'],
  ['"0"', '"bool"', 'false'],
  ['"<&>"', '"string"', '"\\u003c\\u0026\\u003e"'],
  ['["b","a","b"]', '["set","string"]', '["a","b"]'],
  ['["b","a","b"]', '["list","string"]', '["b","a","b"]'],
  ['["a",1]', '["tuple",["string","number"]]', '["a",1]'],
  ['{"b":1,"10":2,"__proto__":3}', '["map","number"]', '{"10":2,"__proto__":3,"b":1}'],
  ['{"b":true}', '["object",{"a":"string","b":"bool"}]', '{"a":null,"b":true}'],
  ['{"type":"string","value":"a"}', '"dynamic"', '{"value":"a","type":"string"}'],
  ['{"value":null,"type":"dynamic"}', '"dynamic"', 'null'],
  [
    '{"value":{"a":[1]},"type":["object",{"a":["tuple",["number"]]}]}',
    '"dynamic"',
    '{"value":{"a":[1]},"type":["object",{"a":["tuple",["number"]]}]}',
  ],
])('the JSON text %s, decoded as %s, is encoded as %s', (text, type, formatted) => {
  expect(reformat(text, type)).toBe(formatted)
})

test.each([
  ['{', '"string"', 'the value is not valid JSON'],
  ['[]', '"string"', 'string is required'],
  ['"a"', '"number"', 'number is required'],
  ['1', '"bool"', 'bool is required'],
  ['{}', '["list","string"]', 'list of string is required'],
  ['[]', '["map","string"]', 'map of string is required'],
  ['[1]', '["object",{}]', 'object is required'],
  ['["a"]', '["tuple",[]]', '0 elements are required'],
  [
    '{"a":[{"b":[]}]}',
    '["object",{"a":["list",["map","string"]]}]',
    `string is required at 'a[0]["b"]'`,
  ],
  ['{"c":1}', '["object",{"a":"string"}]', "the attribute 'c' is not supported"],
  ['{"value":1}', '"dynamic"', 'an object with value and type is required'],
  ['{"value":1,"type":"number","x":1}', '"dynamic"', 'an object with value and type is required'],
  ['{"value":{},"type":"dynamic"}', '"dynamic"', 'a type other than the dynamic one is required'],
])('the JSON text %s is refused as %s: %s', (text, type, message) => {
  expect(refusalOf(() => decodeCtyJson(text, parseTypeJson(type)))).toBe(message)
})

test('JSON with too many levels is refused', () => {
  const type = parseTypeJson(`${'["list",'.repeat(150)}"dynamic"${']'.repeat(150)}`)
  expect(refusalOf(() => decodeCtyJson('['.repeat(1_000_000), type))).toBe(
    'the value is not valid JSON',
  )
  const nested = `{"value":${'['.repeat(100_000)}${']'.repeat(100_000)},"type":"string"}`
  expect(refusalOf(() => decodeCtyJson(nested, parseTypeJson('"dynamic"')))).toMatch(
    /required|JSON/,
  )
})

test('unknown values and infinities have no JSON form', () => {
  const unknown = objectOf([['a', listOf([stringOf('b'), unknownOf(stringType)], stringType)]])
  expect(refusalOf(() => encodeCtyJson(unknown, unknown.type))).toBe(
    "a value is still unknown, so it cannot be stored at 'a[1]'",
  )
  expect(refusalOf(() => encodeCtyJson(numberOf(positiveInfinity), numberType))).toBe(
    'an infinite number cannot be stored',
  )
})

test('a value of another type is an error of the caller', () => {
  expect(() => encodeCtyJson(stringOf('a'), numberType)).toThrow(/number is required/)
})
