import { expect, test } from 'vitest'
import {
  compareNumbers,
  exactFloatOf,
  formatCtyNumber,
  negativeInfinity,
  convertFloat,
  parseCtyNumber,
  positiveInfinity,
} from './cty-number.ts'

const reformat = (text: string): string | undefined => {
  const number = parseCtyNumber(text)
  return number === undefined ? undefined : formatCtyNumber(number)
}

test.each([
  ['0', '0'],
  ['-0', '0'],
  ['007', '7'],
  ['1.50', '1.5'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['-12.5e1', '-125'],
  ['1e3', '1000'],
  ['1E-3', '0.001'],
  ['0.1', '0.1'],
  ['9007199254740993', '9007199254740993'],
  ['9223372036854775808', '9223372036854775808'],
  ['1e400', `1${'0'.repeat(400)}`],
  ['1e-400', `0.${'0'.repeat(399)}1`],
  [`1.${'3'.repeat(152)}`, `1.${'3'.repeat(152)}`],
  ['inf', '+Inf'],
  ['-Inf', '-Inf'],
])('the number $0 has the text $1', (text, formatted) => {
  expect(reformat(text)).toBe(formatted)
})

// The rounding of the first number carries into a further bit.
test('numbers that are equal after rounding have the same text', () => {
  const power = 2n ** 513n
  expect(reformat(String(power - 1n))).toBe(reformat(String(power)))
  expect(reformat(String(1n - power))).toBe(reformat(String(-power)))
})

test.each([
  '',
  '.',
  '-',
  'e5',
  '1e',
  '1 ',
  '0x10',
  '1_000',
  'NaN',
  'Infinity',
  // A number has at most 10,000 digits before the point, and as many after it.
  '1e10001',
  '1e-10001',
  '1e999999999999',
  '9'.repeat(20_001),
])("the text '$0' is no number", text => {
  expect(parseCtyNumber(text)).toBeUndefined()
})

test('numbers have 512 bits of precision, and the shortest text that identifies them', () => {
  const third = `0.${'3'.repeat(400)}`
  expect(reformat(third)).toBe(`0.${'3'.repeat(154)}5`)
  // 2^600 has 181 digits, of which 155 identify it.
  const large = reformat((2n ** 600n).toString()) ?? ''
  expect(large).toMatch(/^41495155688809929585124\d+0{20,}$/)
  expect(large).toHaveLength(181)
  expect(reformat(`${10n ** 400n + 1n}`)).toBe(`1${'0'.repeat(400)}`)
})

test('a decimal halfway between two numbers becomes the one with the even mantissa', () => {
  // `halfway` needs a mantissa of 513 bits. Its neighbours are the nearest numbers with 512 bits.
  const halfway = 13n * 10n ** 219n
  const evenNeighbour = (13n * 5n ** 219n - 1n) * 2n ** 219n
  const oddNeighbour = (13n * 5n ** 219n + 1n) * 2n ** 219n
  // A parsed number is stored as its shortest decimal, which for the even neighbour is `halfway`.
  expect(parseCtyNumber(evenNeighbour.toString())).toBe(halfway)
  expect(parseCtyNumber(oddNeighbour.toString())).not.toBe(halfway)
})

test('a double becomes its shortest decimal, and a fraction is sent as the same double', () => {
  const tenth = convertFloat(0.1)
  expect(tenth).toEqual({ kind: 'decimal', coefficient: 1n, scale: 1, float: 0.1 })
  expect(typeof tenth === 'object' && tenth.kind === 'decimal' && exactFloatOf(tenth)).toBe(0.1)
  expect(convertFloat(2 ** 60)).toBe(1152921504606847000n)
  expect(convertFloat(-0)).toBe(0n)
  expect(convertFloat(Infinity)).toBe(positiveInfinity)
  expect(convertFloat(-Infinity)).toBe(negativeInfinity)
  expect(convertFloat(Number.NaN)).toBeUndefined()
})

test.each([
  ['0.5', 0.5],
  ['-1.25', -1.25],
  ['0.1', undefined],
  ['1e-400', undefined],
  ['1.0000000000000000000000001', undefined],
])('the double that equals the decimal %s is %s', (text, float) => {
  const number = parseCtyNumber(text)
  expect(typeof number === 'object' && number.kind === 'decimal' && exactFloatOf(number)).toBe(
    float,
  )
})

test('numbers are ordered by value', () => {
  const ordered = [
    '-Inf',
    '-1e9',
    '-1.5',
    '-1',
    '0',
    '0.001',
    '0.01',
    '1',
    '1.5',
    '2',
    '1e30',
    '+Inf',
  ]
  const numbers = ordered.flatMap(text => parseCtyNumber(text) ?? [])
  expect(numbers).toHaveLength(ordered.length)
  expect(numbers.toReversed().toSorted(compareNumbers).map(formatCtyNumber)).toEqual(
    numbers.map(formatCtyNumber),
  )
  expect(compareNumbers(positiveInfinity, positiveInfinity)).toBe(0)
})
