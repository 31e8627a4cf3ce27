import { describe, expect, test } from 'vitest'
import { findFieldText } from './json-field-text.ts'

describe('findFieldText', () => {
  test.each([
    ['{"a":1,"b":{"c":[1, 2 ],"d":"}"}}', 'b', '{"c":[1, 2 ],"d":"}"}'],
    ['{"a" : 12345678901234567890.0e1 }', 'a', '12345678901234567890.0e1'],
    [' { "x" : "say \\"a\\" \\\\" , "a" : [ ] } ', 'a', '[ ]'],
    [' { "x" : "say \\"a\\" \\\\" , "a" : [ ] } ', 'x', '"say \\"a\\" \\\\"'],
    ['{"\\u0061":true,"b":null}', 'a', 'true'],
    ['{"a":1,"a":2}', 'a', '2'],
    ['{"b":{"a":1}}', 'a', undefined],
    ['{}', 'a', undefined],
  ])('of %s the field %s is %s', (text, name, expected) => {
    expect(findFieldText(text, name)).toBe(expected)
  })
})
