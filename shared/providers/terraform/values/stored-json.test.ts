import { expect, test } from 'vitest'
import { type CtyPath, createAttributeStep, createIndexStep, createKeyStep } from './cty-path.ts'
import { formatLosslessJson, parseLosslessJson } from './lossless-json.ts'
import { formatPathJson, readPathJson } from './path-json.ts'
import { stripRemovedAttributes } from './strip-removed.ts'
import { parseTypeJson } from './type-json.ts'

test.each([
  '{"b":1,"a":[9007199254740993,0.10,-1e400,"x\\u2028",null,true,{}]}',
  '"\\ud800"',
  '12345678901234567890',
])('the JSON %s keeps its numbers and its order', text => {
  const json = parseLosslessJson(text)
  expect(json === undefined ? undefined : formatLosslessJson(json)).toBe(
    text.replace('\\u2028', '\u2028'),
  )
})

test('attributes that a type no longer has are removed from a stored object', () => {
  const type = parseTypeJson(
    '["object",{"a":"number","l":["list",["object",{"x":"string"}]],"m":["map",["object",{"x":"string"}]],"any":"dynamic"}]',
  )
  const stored =
    '{"gone":1,"a":1e400,"l":[{"x":"1","y":2}],"m":{"k":{"y":1}},"any":{"value":{"y":1},"type":"string"}}'
  expect(stripRemovedAttributes(stored, type)).toBe(
    '{"a":1e400,"l":[{"x":"1"}],"m":{"k":{}},"any":{"value":{"y":1},"type":"string"}}',
  )
  expect(stripRemovedAttributes('{"l":"odd","m":null}', type)).toBe('{"l":"odd","m":null}')
  expect(stripRemovedAttributes('{', type)).toBeUndefined()
})

test('a path survives formatting for a Terraform state, and parsing', () => {
  const path: CtyPath = [
    createAttributeStep('rule'),
    createIndexStep(0),
    createAttributeStep('tags'),
    createKeyStep('k"'),
  ]
  const text = formatPathJson(path)
  expect(text).toBe(
    '[{"type":"get_attr","value":"rule"},{"type":"index","value":{"value":0,"type":"number"}},' +
      '{"type":"get_attr","value":"tags"},{"type":"index","value":{"value":"k\\"","type":"string"}}]',
  )
  expect(readPathJson(parseLosslessJson(text) ?? null)).toEqual(path)
})

test('a path into a set ends at the set', () => {
  const path: CtyPath = [
    createAttributeStep('s'),
    { kind: 'element', position: 1 },
    createAttributeStep('x'),
  ]
  expect(formatPathJson(path)).toBe('[{"type":"get_attr","value":"s"}]')
  const stored =
    '[{"type":"get_attr","value":"s"},{"type":"index","value":{"value":{"x":"a"},"type":["object",{"x":"string"}]}},{"type":"get_attr","value":"x"}]'
  expect(readPathJson(parseLosslessJson(stored) ?? null)).toEqual([createAttributeStep('s')])
})

test.each([
  '{}',
  '[1]',
  '[{"type":"get_attr"}]',
  '[{"type":"other","value":"x"}]',
  '[{"type":"index","value":1}]',
])('the JSON %s is no path', text => {
  expect(readPathJson(parseLosslessJson(text) ?? null)).toBeUndefined()
})
