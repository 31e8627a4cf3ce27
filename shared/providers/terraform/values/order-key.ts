import { escapedInGo } from './go-printable.ts'
import type { CtyNumber } from './cty-number.ts'
import type { CtyValue } from './cty-value.ts'

/**
 * Returns the text by which cty sorts those elements of a set that are not primitive. Equal values
 * have equal texts. Other values may have equal texts too, because numbers are rounded to ten
 * digits.
 */
export function orderKeyOf(value: CtyValue): string {
  switch (value.kind) {
    case 'unknown':
      return '?'
    case 'null':
      return '~'
    case 'string':
      return quoteForKey(value.text)
    case 'number':
      return formatTenDigits(value.number)
    case 'bool':
      return value.isTrue ? 'T' : 'F'
    case 'list':
    case 'set':
      return `[${value.elements.map(element => `${orderKeyOf(element)};`).join('')}]`
    case 'tuple':
      return `<${value.elements.map(element => `${orderKeyOf(element)};`).join('')}>`
    case 'object':
      return `<${[...value.entries.values()].map(item => `${orderKeyOf(item)};`).join('')}>`
    case 'map': {
      const entries = [...value.entries].map(
        ([key, item]) => `${quoteForKey(key)}:${orderKeyOf(item)};`,
      )
      return `{${entries.join('')}}`
    }
  }
}

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** Quotes a text as Go's `%q` does. */
function quoteForKey(text: string): string {
  const escaped = text.replaceAll(escapedInGo, character => {
    const short = shortEscapes[character]
    if (short !== undefined) return short
    const point = character.codePointAt(0) ?? 0
    const hex = point.toString(16)
    if (point < 0x80) return `\\x${hex.padStart(2, '0')}`
    return point < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
  })
  return `"${escaped}"`
}

/** Formats a number as Go's `%.10g` does. */
function formatTenDigits(number: CtyNumber): string {
  if (typeof number !== 'bigint' && number.kind === 'infinity')
    return number.isNegative ? '-Inf' : '+Inf'
  const coefficient = typeof number === 'bigint' ? number : number.coefficient
  const scale = typeof number === 'bigint' ? 0 : number.scale
  if (coefficient === 0n) return '0'
  const sign = coefficient < 0n ? '-' : ''
  const allDigits = (coefficient < 0n ? -coefficient : coefficient).toString()
  const { digits, carry } = roundDigits(allDigits)
  const exponent = allDigits.length - scale - 1 + carry
  if (exponent >= -4 && exponent < 10) return sign + formatFixed(digits, exponent)
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
  const power = String(Math.abs(exponent)).padStart(2, '0')
  return `${sign}${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${power}`
}

/** Rounds to ten digits, without trailing zeros. The carry is 1 if rounding added a digit. */
function roundDigits(allDigits: string): { readonly digits: string; readonly carry: number } {
  if (allDigits.length <= 10) return { digits: allDigits.replace(/0+$/, ''), carry: 0 }
  const head = BigInt(allDigits.slice(0, 10))
  const tail = allDigits.slice(10)
  const half = `5${'0'.repeat(tail.length - 1)}`
  const roundsUp = tail > half || (tail === half && head % 2n === 1n)
  const rounded = (roundsUp ? head + 1n : head).toString()
  return { digits: rounded.replace(/0+$/, ''), carry: rounded.length - 10 }
}

function formatFixed(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`
  if (digits.length <= exponent + 1) return digits.padEnd(exponent + 1, '0')
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`
}
