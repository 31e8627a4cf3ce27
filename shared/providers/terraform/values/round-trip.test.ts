import { expect, test } from 'vitest'
import { listOf, mapOf, objectOf, setOf, tupleOf } from './build-value.ts'
import { parseCtyNumber } from './cty-number.ts'
import { boolOf, type CtyValue, nullOf, numberOf, stringOf } from './cty-value.ts'
import { decodeCtyJson } from './decode-json.ts'
import { decodeMsgpack } from './decode-msgpack.ts'
import { encodeCtyJson } from './encode-json.ts'
import { encodeMsgpack } from './encode-msgpack.ts'
import { areEqualRaw } from './raw-equality.ts'
import type { Refinements } from './refinements.ts'
import { parseTypeJson } from './type-json.ts'
import { type CtyType, numberType, stringType } from './type-system.ts'
import { unknownOf } from './unknown-value.ts'

const numberFrom = (text: string): CtyValue => numberOf(parseCtyNumber(text) ?? 0n)

const text = stringOf('\u00e9')
const pair = objectOf([
  ['a', text],
  ['b', nullOf(numberType)],
])
const collectionSize: Refinements = { isNotNull: true, lengthMin: 1, lengthMax: 3 }
const range: Refinements = {
  isNotNull: true,
  lowerBound: { number: 1n, isInclusive: true },
  upperBound: { number: 5n, isInclusive: false },
}

/** Types in JSON, each with refinements for its unknown values, and with known values. */
const types: readonly (readonly [string, Refinements, readonly CtyValue[]])[] = [
  ['"string"', { isNotNull: true, prefix: 'arn:' }, [text, stringOf('')]],
  [
    '"number"',
    range,
    [
      ...['0', '-1', '9007199254740992', '-9007199254740992', '9007199254740993'],
      ...['9223372036854775807', '-9223372036854775808', '9223372036854775808'],
      ...['18446744073709551616', '0.1', '0.5', '1e400', '-1e-400'],
    ].map(numberFrom),
  ],
  ['"bool"', { isNotNull: true }, [boolOf(true), boolOf(false)]],
  ['["list","string"]', collectionSize, [listOf([], stringType), listOf([text, text], stringType)]],
  ['["set","string"]', collectionSize, [setOf([], stringType), setOf([text], stringType)]],
  ['["map","string"]', collectionSize, [mapOf([], stringType), mapOf([['k', text]], stringType)]],
  ['["tuple",["string","number"]]', { isNotNull: true }, [tupleOf([text, numberFrom('7')])]],
  ['["object",{"a":"string","b":"number"}]', { isNotNull: true }, [pair]],
]

const roundTrip = (value: CtyValue, type: CtyType): CtyValue =>
  decodeMsgpack(encodeMsgpack(value, type), type)

test.each(types)(
  'null, unknown, refined and known values of %s survive encoding and decoding',
  (json, refinements, known) => {
    const type = parseTypeJson(json)
    const values = [nullOf(type), unknownOf(type), unknownOf(type, refinements), ...known]
    const dynamic = parseTypeJson('"dynamic"')
    for (const value of values) {
      expect(areEqualRaw(roundTrip(value, type), value)).toBe(true)
      expect(areEqualRaw(roundTrip(value, dynamic), value)).toBe(true)
    }
    for (const value of [nullOf(type), ...known])
      expect(areEqualRaw(decodeCtyJson(encodeCtyJson(value, type), type), value)).toBe(true)
  },
)
