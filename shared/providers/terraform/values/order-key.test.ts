import { expect, test } from 'vitest'
import { listOf, mapOf, objectOf, setOf, tupleOf } from './build-value.ts'
import { negativeInfinity, parseCtyNumber } from './cty-number.ts'
import { type CtyValue, boolOf, nullOf, numberOf, stringOf } from './cty-value.ts'
import { orderKeyOf } from './order-key.ts'
import { boolType, numberType, stringType } from './type-system.ts'
import { unknownOf } from './unknown-value.ts'

const parseNumber = (text: string): CtyValue => numberOf(parseCtyNumber(text) ?? 0n)

test.each([
  ['0', '0'],
  ['-12', '-12'],
  ['1234567', '1234567'],
  ['9999999999', '9999999999'],
  ['10000000000', '1e+10'],
  ['99999999999', '1e+11'],
  ['12345678912345', '1.234567891e+13'],
  ['0.0001', '0.0001'],
  ['0.00001234', '1.234e-05'],
  ['1.50', '1.5'],
  ['1e400', '1e+400'],
])('the number %s is ordered as %s', (text, key) => {
  expect(orderKeyOf(parseNumber(text))).toBe(key)
})

test('values of all kinds have the order keys of the Go library cty', () => {
  const value = objectOf([
    ['b', tupleOf([boolOf(true), boolOf(false), numberOf(negativeInfinity)])],
    [
      'a',
      listOf(
        [stringOf('"\\\n\u0001\u007f\u2028é\u{1f600}\u{e0001}'), unknownOf(stringType)],
        stringType,
      ),
    ],
    ['c', mapOf([['k', nullOf(numberType)]], numberType)],
    ['d', setOf([stringOf('y'), stringOf('x')], stringType)],
  ])
  expect(orderKeyOf(value)).toBe(
    '<["\\"\\\\\\n\\x01\\x7f\\u2028é\u{1f600}\\U000e0001";?;];<T;F;-Inf;>;{"k":~;};["x";"y";];>',
  )
})

test('primitive elements have their natural order, with unknown and null at the end', () => {
  const order = (elements: readonly CtyValue[], type: typeof numberType): readonly string[] => {
    const set = setOf(elements, type)
    return set.kind === 'set' ? set.elements.map(orderKeyOf) : []
  }
  expect(
    order(
      [nullOf(numberType), unknownOf(numberType), parseNumber('10'), parseNumber('9')],
      numberType,
    ),
  ).toEqual(['9', '10', '?', '~'])
  expect(order([stringOf('b'), stringOf('"'), stringOf('B')], stringType)).toEqual([
    '"\\""',
    '"B"',
    '"b"',
  ])
  expect(order([boolOf(true), boolOf(false)], boolType)).toEqual(['F', 'T'])
})
