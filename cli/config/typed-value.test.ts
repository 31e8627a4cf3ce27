import { expect, test } from 'vitest'
import { parseTypedValue } from './typed-value.ts'

test.each([
  ['3', 'string', '3'],
  ['-3', 'int', -3],
  ['9007199254740993', 'int', 9_007_199_254_740_993n],
  ['T', 'bool', true],
  ['0', 'bool', false],
  ['1e3', 'float', 1_000],
])('parseTypedValue reads %s as %s', (text, type, value) => {
  expect(parseTypedValue(text, type)).toBe(value)
})

test.each([
  ['3.5', 'int'],
  ['yes', 'bool'],
  ['', 'float'],
  ['Infinity', 'float'],
])('parseTypedValue refuses %j as %s', (text, type) => {
  expect(() => parseTypedValue(text, type)).toThrow(`the value is not of type ${type}`)
})
