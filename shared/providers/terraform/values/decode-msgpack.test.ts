import { expect, test } from 'vitest'
import { type DeployError, hasCode } from '../../../errors/error.ts'
import { formatCtyNumber } from './cty-number.ts'
import type { CtyValue } from './cty-value.ts'
import { decodeMsgpack } from './decode-msgpack.ts'
import { encodeCtyJson } from './encode-json.ts'
import { encodeMsgpack } from './encode-msgpack.ts'
import { parseTypeJson } from './type-json.ts'

const decode = (hex: string, type: string): CtyValue =>
  decodeMsgpack(Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex')), parseTypeJson(type))

const encode = (value: CtyValue, type: string): string =>
  Buffer.from(encodeMsgpack(value, parseTypeJson(type))).toString('hex')

/** Decodes bytes that must be refused, and returns the error. */
function refusalOf(hex: string, type: string): DeployError {
  try {
    decode(hex, type)
  } catch (thrown) {
    if (hasCode(thrown, 'TERRAFORM_PROVIDER_BUG')) return thrown
  }
  throw new Error(`${hex} was not refused as ${type}`)
}

test.each([
  ['05', '5'],
  ['ff', '-1'],
  ['cc ff', '255'],
  ['cd ffff', '65535'],
  ['ce ffffffff', '4294967295'],
  ['cf ffffffffffffffff', '18446744073709551615'],
  ['d0 80', '-128'],
  ['d1 8000', '-32768'],
  ['d2 80000000', '-2147483648'],
  ['d3 8000000000000000', '-9223372036854775808'],
  ['ca 3fc00000', '1.5'],
  ['cb 3fb999999999999a', '0.1'],
  ['cb 7ff0000000000000', '+Inf'],
  ['a3 302e31', '0.1'],
])('the number %s is %s', (hex, text) => {
  const value = decode(hex, '"number"')
  expect(value.kind === 'number' && formatCtyNumber(value.number)).toBe(text)
})

test.each([
  ['05'],
  ['d080'],
  ['cb3fb999999999999a'],
  ['cbfff0000000000000'],
  ['a3302e31'],
  ['b339323233333732303336383534373735383038'],
  ['d3ffffffff7fffffff'],
  ['ce00010000'],
])('the number %s is encoded as it was received', hex => {
  expect(encode(decode(hex, '"number"'), '"number"')).toBe(hex)
})

test('a null object is one byte', () => {
  const type = '["object",{"a":"string"}]'
  expect(decode('c0', type)).toMatchObject({ kind: 'null' })
  expect(encode(decode('c0', type), type)).toBe('c0')
})

test('a dynamic value is sent with its type as binary data', () => {
  const known = '92c4082273 7472696e6722a161'.replace(' ', '')
  expect(decode(known, '"dynamic"')).toMatchObject({ kind: 'string', text: 'a' })
  expect(encode(decode(known, '"dynamic"'), '"dynamic"')).toBe(known)
  const typedNull = '92c40822737472696e6722c0'
  expect(decode(typedNull, '"dynamic"')).toMatchObject({ kind: 'null', type: { kind: 'string' } })
  expect(encode(decode(typedNull, '"dynamic"'), '"dynamic"')).toBe(typedNull)
  const typedUnknown = '92c40822737472696e6722d40000'
  expect(decode(typedUnknown, '"dynamic"')).toMatchObject({
    kind: 'unknown',
    type: { kind: 'string' },
  })
  expect(encode(decode(typedUnknown, '"dynamic"'), '"dynamic"')).toBe(typedUnknown)
  expect(encode(decode('d40000', '"dynamic"'), '"dynamic"')).toBe('d40000')
  expect(encode(decode('c0', '"dynamic"'), '"dynamic"')).toBe('c0')
})

// An extension of the type 0c contains refinements by key. Key 1: whether the value is null. Key 2:
// a prefix. Keys 3 and 4: the bounds of a number. Keys 5 and 6: the bounds of a length.
test.each([
  ['d4 00 00', '"string"', {}],
  ['d4 63 07', '"string"', {}],
  ['c7 00 05', '"string"', {}],
  ['d5 63 0102', '"string"', {}],
  ['c7 03 0c 810 1c2', '"string"', { isNotNull: true }],
  ['c7 06 0c 82 01c2 02a161', '"string"', { isNotNull: true, prefix: 'a' }],
  ['d7 0c 82 05 02 06 09 000000', '["list","string"]', { lengthMin: 2, lengthMax: 9 }],
  ['c7 04 0c 81 63 91c0', '"string"', {}],
  ['c7 03 0c 81 02 90', '"dynamic"', {}],
])(
  'the extension %s of type %s is an unknown value with the refinements %j',
  (hex, type, refinements) => {
    expect(decode(hex, type)).toMatchObject({ kind: 'unknown', refinements })
  },
)

test('an extension whose refinements end too early is refused', () => {
  const hex = 'd8 0c 82 03 92 cb3ff8000000000000 c2 04 92 05'
  expect(refusalOf(hex, '"number"').code).toBe('TERRAFORM_PROVIDER_BUG')
})

test('refinements that allow one value or one length give that value, or a value of that length', () => {
  expect(decode('c7 03 0c 8101c3', '"string"')).toMatchObject({ kind: 'null' })
  expect(decode('c7 05 0c 82 01c2 06 00', '["map","string"]')).toMatchObject({ kind: 'map' })
  expect(decode('c7 07 0c 83 01c2 0502 0602', '["list","string"]')).toMatchObject({
    kind: 'list',
    elements: [{ kind: 'unknown' }, { kind: 'unknown' }],
  })
  expect(decode('c7 0b 0c 83 01c2 039205c3 049205c3', '"number"')).toMatchObject({ number: 5n })
})

test.each([
  ['c7 03 0c 8102 90', '"string"'],
  ['c7 03 0c 810205', '"number"'],
  ['c7 03 0c 810502', '"string"'],
  ['c7 05 0c 82 0503 0602', '["list","string"]'],
  ['c7 05 0c 82 01c2 01c3', '"string"'],
  ['c7 03 0c a16162', '"string"'],
  [`c8 0401 0c ${'00'.repeat(1025)}`, '"string"'],
])('the extension $0 has refinements that do not fit $1', (hex, type) => {
  expect(refusalOf(hex, type).message).toMatch(/refinements/)
})

test.each([
  ['', '"string"', 'string is required, but the provider sent end'],
  ['c1', '"string"', 'string is required, but the provider sent invalid'],
  ['05', '"string"', 'string is required, but the provider sent integer'],
  ['a161', '"bool"', 'bool is required, but the provider sent text'],
  ['a161', '"number"', 'number is required, but the provider sent text'],
  ['cb7ff8000000000000', '"number"', 'number is required, but the provider sent float'],
  ['a261', '"string"', 'the provider sent a value that ends too early'],
  ['dd ffffffff c0', '["list","string"]', 'the provider sent a collection that ends too early'],
  ['a161 c0', '"string"', 'the provider sent more bytes after the end of a value'],
  ['92 a161', '"dynamic"', 'the provider sent an invalid type: nothing'],
  ['93 a161 c0 c0', '"dynamic"', 'a value with its type is required'],
  [
    '92 c409 2264796e616d696322 92c0c0',
    '"dynamic"',
    'a type other than the dynamic one is required',
  ],
  ['91 05', '["list","string"]', "string is required, but the provider sent integer at '[0]'"],
  ['91 c0', '["tuple",["string","bool"]]', '2 elements are required, but the provider sent 1'],
  ['81 05 c0', '["map","string"]', 'all keys must be strings'],
  ['82 a16b c0 a16b c0', '["map","string"]', "the provider sent the key 'k' twice"],
  ['82 a2c3a9 c0 a365cc81 c0', '["map","string"]', "the provider sent the key 'é' twice"],
  [
    '80',
    '["object",{"a":"string"}]',
    'an object with 1 attributes is required, but the provider sent 0',
  ],
  ['81 a162 c0', '["object",{"a":"string"}]', "the attribute 'b' is not supported"],
  [
    '82 a161 c0 a161 c0',
    '["object",{"a":"string","b":"string"}]',
    "the attribute 'a' was sent twice",
  ],
  [
    '81 a161 81 a16b 91 c3',
    '["object",{"a":["map",["list","string"]]}]',
    `string is required, but the provider sent bool at 'a["k"][0]'`,
  ],
  [
    '92 92c40822737472696e6722a161 92c40622626f6f6c22c3',
    '["list","dynamic"]',
    'all elements of a collection must have the same type',
  ],
])('the bytes %j are refused as %s: %s', (hex, type, message) => {
  expect(refusalOf(hex, type).message).toBe(message)
})

test('values with too many levels are refused', () => {
  const type = `${'["list",'.repeat(150)}"dynamic"${']'.repeat(150)}`
  const text = Buffer.from(type).toString('hex')
  const length = (text.length / 2).toString(16).padStart(4, '0')
  const level = `92c5${length}${text}${'91'.repeat(150)}`
  expect(refusalOf(`${level}${level}c0`, '"dynamic"').message).toMatch(/nested levels/)
})

test('texts are normalized, and elements without a type take that of the others', () => {
  expect(decode('a365cc81', '"string"')).toMatchObject({ text: 'é' })
  const mixed = decode('93 c0 d40000 92c40622626f6f6c22c3', '["list","dynamic"]')
  expect(mixed.type).toEqual({ kind: 'list', element: { kind: 'bool' } })
  expect(mixed).toMatchObject({ elements: [{ kind: 'null', type: { kind: 'bool' } }, {}, {}] })
  expect(
    encodeCtyJson(decode('92 a162 a161', '["set","string"]'), parseTypeJson('["set","string"]')),
  ).toBe('["a","b"]')
})
