import { expect, test } from 'vitest'
import { listOf, mapOf, objectOf, setOf, tupleOf } from './build-value.ts'
import { convertFloat, parseCtyNumber } from './cty-number.ts'
import { dynamicType, listType, numberType, setType, stringType } from './type-system.ts'
import { type CtyValue, boolOf, nullOf, numberOf, stringOf } from './cty-value.ts'
import { areEqualRaw } from './raw-equality.ts'
import { compareSemantically, lengthRangeOf, mayBecome } from './semantic-equality.ts'
import { unknownOf } from './unknown-value.ts'

const a = stringOf('a')
const b = stringOf('b')
const anyText = unknownOf(stringType)
const setWith = (...elements: CtyValue[]): CtyValue => setOf(elements, stringType)
const parseDecimal = (text: string): CtyValue => numberOf(parseCtyNumber(text) ?? 0n)

test('structural equality compares types, and unknown values by their refinements', () => {
  expect(areEqualRaw(nullOf(stringType), nullOf(numberType))).toBe(false)
  expect(areEqualRaw(nullOf(stringType), anyText)).toBe(false)
  expect(areEqualRaw(listOf([], stringType), listOf([], numberType))).toBe(false)
  const refined = unknownOf(stringType, { prefix: 'a' })
  expect(areEqualRaw(anyText, refined)).toBe(false)
  expect(areEqualRaw(anyText, refined, { ignoresRefinements: true })).toBe(true)
  expect(areEqualRaw(objectOf([['a', refined]]), objectOf([['a', anyText]]))).toBe(false)
  expect(
    areEqualRaw(objectOf([['a', refined]]), objectOf([['a', anyText]]), {
      ignoresRefinements: true,
    }),
  ).toBe(true)
})

test('a double equals the decimal with its shortest text', () => {
  expect(areEqualRaw(numberOf(convertFloat(0.1) ?? 0n), parseDecimal('0.1'))).toBe(true)
  expect(areEqualRaw(parseDecimal('0.1'), parseDecimal('0.10000000000000001'))).toBe(false)
})

test('sets are equal in any order if each element occurs equally often', () => {
  const one = objectOf([['x', anyText]])
  const two = objectOf([['x', unknownOf(stringType, { prefix: 'a' })]])
  const createObjectSet = (...elements: CtyValue[]): CtyValue => setOf(elements, one.type)
  expect(areEqualRaw(createObjectSet(one, two), createObjectSet(two, one))).toBe(true)
  expect(areEqualRaw(createObjectSet(one, one), createObjectSet(one, two))).toBe(false)
  expect(areEqualRaw(setWith(a, b, a), setWith(b, a))).toBe(true)
  expect(areEqualRaw(setWith(a, anyText), setWith(anyText, a))).toBe(true)
})

test('elements of a set are merged only if they are certainly equal', () => {
  expect(setWith(a, a, nullOf(stringType), nullOf(stringType))).toMatchObject({ elements: [a, {}] })
  expect(lengthRangeOf(setWith(anyText, anyText, a))).toEqual({ min: 1, max: 3 })
  expect(lengthRangeOf(setWith(anyText))).toEqual({ min: 1, max: 1 })
  expect(lengthRangeOf(setWith(a, b))).toEqual({ min: 2, max: 2 })
  // Their first ten digits are equal, but the numbers differ.
  const near = setOf([parseDecimal('1.00000000001'), parseDecimal('1.00000000002')], numberType)
  expect(lengthRangeOf(near).max).toBe(2)
})

test.each<[string, CtyValue, CtyValue, boolean | undefined]>([
  ['nulls of all types', nullOf(stringType), nullOf(numberType), true],
  ['null and known', nullOf(stringType), a, false],
  ['null and unknown', nullOf(stringType), anyText, undefined],
  ['null and not null', nullOf(stringType), unknownOf(stringType, { isNotNull: true }), false],
  ['unknown and unknown', anyText, anyText, undefined],
  ['unknown and known', anyText, a, undefined],
  ['unknown and other type', anyText, boolOf(true), false],
  ['prefix and other text', unknownOf(stringType, { prefix: 'b' }), a, false],
  ['unknown without type', unknownOf(dynamicType), a, undefined],
  ['other types', boolOf(true), a, false],
  ['equal parts', tupleOf([a, b]), tupleOf([a, b]), true],
  ['an unknown part', listOf([a, anyText], stringType), listOf([a, b], stringType), undefined],
  [
    'a different part besides an unknown one',
    listOf([b, anyText], stringType),
    listOf([a, b], stringType),
    false,
  ],
  ['different lengths', listOf([anyText], stringType), listOf([a, b], stringType), false],
  ['different keys', mapOf([['a', a]], stringType), mapOf([['b', a]], stringType), false],
  ['equal maps', mapOf([['a', a]], stringType), mapOf([['a', a]], stringType), true],
  ['equal sets', setWith(a, b), setWith(b, a), true],
  ['different sets', setWith(a), setWith(b), false],
  ['a set with an unknown element', setWith(a, anyText), setWith(a, anyText), undefined],
  [
    'an object with an unknown type',
    objectOf([['a', unknownOf(dynamicType)]]),
    objectOf([['a', a]]),
    undefined,
  ],
  [
    'an object that cannot have the type',
    objectOf([['b', unknownOf(dynamicType)]]),
    objectOf([['a', a]]),
    false,
  ],
])('the semantic equality of %s is $3', (_name, left, right, result) => {
  expect(compareSemantically(left, right)).toBe(result)
  expect(compareSemantically(right, left)).toBe(result)
})

test.each<[string, CtyValue, CtyValue, boolean]>([
  [
    'a bound that is included',
    unknownOf(numberType, { lowerBound: { number: 5n, isInclusive: true } }),
    numberOf(5n),
    true,
  ],
  [
    'a bound that is excluded',
    unknownOf(numberType, { upperBound: { number: 5n, isInclusive: false } }),
    numberOf(5n),
    false,
  ],
  [
    'a number below',
    unknownOf(numberType, { lowerBound: { number: 5n, isInclusive: true } }),
    parseDecimal('4.9'),
    false,
  ],
  [
    'a list too short',
    unknownOf(listType(stringType), { lengthMin: 2 }),
    listOf([a], stringType),
    false,
  ],
  [
    'a list too long',
    unknownOf(listType(stringType), { lengthMax: 1 }),
    listOf([a, a], stringType),
    false,
  ],
  [
    'a set that may shrink',
    unknownOf(setType(stringType), { lengthMax: 1 }),
    setWith(a, anyText),
    true,
  ],
  ['null', unknownOf(stringType, { isNotNull: true }), nullOf(stringType), false],
  ['another type', anyText, numberOf(1n), false],
])('whether an unknown value may become %s: $3', (_name, unknown, value, result) => {
  expect(unknown.kind === 'unknown' && mayBecome(unknown, value)).toBe(result)
})
