import { expect, test } from 'vitest'
import { hasCode } from '../../../errors/error.ts'
import { conformanceErrorsOf } from './conformance.ts'
import { describeType, areEqualTypes } from './type-system.ts'
import { formatTypeJson, parseTypeJson } from './type-json.ts'

test.each([
  '"string"',
  '"number"',
  '"bool"',
  '"dynamic"',
  '["list","string"]',
  '["set",["object",{"a":"string","b":["map","number"]}]]',
  '["tuple",[]]',
  '["object",{}]',
])('the type %s survives parsing and formatting', text => {
  expect(formatTypeJson(parseTypeJson(text))).toBe(text)
})

test('names are normalized and sorted by bytes, and the list of optional names is dropped', () => {
  const type = parseTypeJson(
    '["object",{"\u{1f600}":"bool","\uffee":"bool","e\u0301":"bool"},["x"]]',
  )
  expect(formatTypeJson(type)).toBe('["object",{"é":"bool","\uffee":"bool","\u{1f600}":"bool"}]')
})

test.each([
  'nothing',
  '"text"',
  '1',
  '["list"]',
  '["list","string","string"]',
  '["capsule","string"]',
  '["object",["string"]]',
  '["object",{"a":"string"},"a"]',
  '["tuple","string"]',
  '['.repeat(100_000),
  `${'["list",'.repeat(1000)}"string"${']'.repeat(1000)}`,
])('an invalid type is a bug of the provider: $0', text => {
  expect(() => parseTypeJson(text)).toThrow(
    expect.toSatisfy(thrown => hasCode(thrown, 'TERRAFORM_PROVIDER_BUG')),
  )
})

test('types are equal by structure', () => {
  const areEqual = (a: string, b: string): boolean =>
    areEqualTypes(parseTypeJson(a), parseTypeJson(b))
  expect(
    areEqual('["object",{"a":"string","b":"bool"}]', '["object",{"b":"bool","a":"string"}]'),
  ).toBe(true)
  expect(areEqual('["object",{"a":"string"}]', '["object",{"b":"string"}]')).toBe(false)
  expect(areEqual('["object",{"a":"string"}]', '["object",{"a":"string","b":"bool"}]')).toBe(false)
  expect(areEqual('["tuple",["string"]]', '["tuple",["string","string"]]')).toBe(false)
  expect(areEqual('["tuple",["string"]]', '["tuple",["bool"]]')).toBe(false)
  expect(areEqual('["list","string"]', '["set","string"]')).toBe(false)
})

test.each([
  ['"string"', '"string"', []],
  ['["object",{"a":"string"}]', '"dynamic"', []],
  ['["list","string"]', '["list","dynamic"]', []],
  ['"dynamic"', '"string"', ['string is required, but got any type']],
  ['"number"', '"string"', ['string is required, but got number']],
  ['["list","number"]', '["list","string"]', ['string is required, but got number']],
  ['["list","string"]', '["set","string"]', ['set of string is required, but got list of string']],
  [
    '["object",{"a":"string","c":["tuple",["bool"]]}]',
    '["object",{"b":"string","c":["tuple",["number"]]}]',
    [
      "the attribute 'a' is not supported",
      "the attribute 'b' is missing",
      "number is required, but got bool at 'c[0]'",
    ],
  ],
  ['["tuple",[]]', '["tuple",["bool"]]', ['1 elements are required, but got 0']],
])('the conformance of %s to %s has the errors %j', (type, wanted, reasons) => {
  expect(conformanceErrorsOf(parseTypeJson(type), parseTypeJson(wanted))).toEqual(reasons)
})

test('a type is described in words', () => {
  expect(describeType(parseTypeJson('["list",["map","dynamic"]]'))).toBe('list of map of any type')
})
