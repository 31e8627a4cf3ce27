import { roundDecimal } from './round-decimal.ts'

/**
 * A number of cty. Integers are bigints. Two numbers are equal if their decimal texts are equal,
 * as in cty. The text is the shortest one that identifies the number at 512 bits.
 */
export type CtyNumber = bigint | CtyDecimal | CtyInfinity

/**
 * The number `coefficient × 10^-scale`. The scale is above 0, and 10 does not divide the
 * coefficient.
 */
export interface CtyDecimal {
  readonly kind: 'decimal'
  readonly coefficient: bigint
  readonly scale: number
  /** The double that was received, if any. The same double is sent again. */
  readonly float?: number
}

/** An infinity, which exists in MessagePack only. */
export interface CtyInfinity {
  readonly kind: 'infinity'
  readonly isNegative: boolean
}

export const positiveInfinity: CtyInfinity = { kind: 'infinity', isNegative: false }
export const negativeInfinity: CtyInfinity = { kind: 'infinity', isNegative: true }

/**
 * Maximum number of digits before the point, and after it. Formatted numbers have no exponent, so
 * without a maximum the few bytes of `1e999999999` would fill the memory.
 */
const digitsMax = 10_000

const decimalText = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/

/**
 * Parses a decimal text, with or without exponent, or an infinity. Returns undefined for other
 * texts, and for numbers with more than 10,000 digits before or after the point.
 */
export function parseCtyNumber(text: string): CtyNumber | undefined {
  if (/^\+?[Ii]nf$/.test(text)) return positiveInfinity
  if (/^-[Ii]nf$/.test(text)) return negativeInfinity
  if (text.length > 2 * digitsMax) return undefined
  const match = decimalText.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponentText = '0'] = match
  if (whole === '' && fraction === '') return undefined
  const digits = BigInt(whole + fraction)
  if (digits === 0n) return 0n
  const exponent = Number(exponentText) - fraction.length
  const magnitude = exponent + (whole + fraction).replace(/^0+/, '').length
  if (magnitude > digitsMax || exponent < -digitsMax) return undefined
  return createNumber(sign === '-' ? -digits : digits, exponent)
}

/** Returns the number `coefficient × 10^exponent` at the precision of cty. */
function createNumber(coefficient: bigint, exponent: number): CtyNumber {
  const rounded = roundDecimal(coefficient, exponent)
  if (rounded.exponent >= 0) return rounded.coefficient * 10n ** BigInt(rounded.exponent)
  return { kind: 'decimal', coefficient: rounded.coefficient, scale: -rounded.exponent }
}

/**
 * Returns the number with the shortest text that identifies this double. Returns undefined for NaN.
 * cty also compares doubles by their shortest text.
 */
export function convertFloat(float: number): CtyNumber | undefined {
  if (Number.isNaN(float)) return undefined
  if (!Number.isFinite(float)) return float > 0 ? positiveInfinity : negativeInfinity
  const number = parseCtyNumber(String(float))
  return isDecimal(number) ? { ...number, float } : number
}

/**
 * Returns the double to send for a fraction. It is the double that was received, or one that equals
 * the fraction exactly. Returns undefined if there is none.
 */
export function exactFloatOf(number: CtyDecimal): number | undefined {
  if (number.float !== undefined) return number.float
  const nearestFloat = Number(formatCtyNumber(number))
  if (!Number.isFinite(nearestFloat) || nearestFloat === 0) return undefined
  let doubled = nearestFloat
  let doublings = 0n
  for (; !Number.isInteger(doubled); doubled *= 2) doublings += 1n
  const isExact = BigInt(doubled) * 10n ** BigInt(number.scale) === number.coefficient << doublings
  return isExact ? nearestFloat : undefined
}

/** Returns the decimal text of a number, without exponent. Infinities are `+Inf` and `-Inf`. */
export function formatCtyNumber(number: CtyNumber): string {
  if (typeof number === 'bigint') return number.toString()
  if (number.kind === 'infinity') return number.isNegative ? '-Inf' : '+Inf'
  const isNegative = number.coefficient < 0n
  const digits = (isNegative ? -number.coefficient : number.coefficient).toString()
  const padded = digits.padStart(number.scale + 1, '0')
  const point = padded.length - number.scale
  return `${isNegative ? '-' : ''}${padded.slice(0, point)}.${padded.slice(point)}`
}

/** Compares two numbers for a sort. The result is negative, zero or positive. */
export function compareNumbers(a: CtyNumber, b: CtyNumber): number {
  if (isInfinity(a) || isInfinity(b)) return rankOf(a) - rankOf(b)
  const scale = Math.max(scaleOf(a), scaleOf(b))
  const difference = scaleUp(a, scale) - scaleUp(b, scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

function isInfinity(number: CtyNumber): number is CtyInfinity {
  return typeof number !== 'bigint' && number.kind === 'infinity'
}

function isDecimal(number: CtyNumber | undefined): number is CtyDecimal {
  return typeof number === 'object' && number.kind === 'decimal'
}

function rankOf(number: CtyNumber): number {
  if (!isInfinity(number)) return 0
  return number.isNegative ? -1 : 1
}

function scaleOf(number: bigint | CtyDecimal): number {
  return typeof number === 'bigint' ? 0 : number.scale
}

function scaleUp(number: bigint | CtyDecimal, scale: number): bigint {
  const coefficient = typeof number === 'bigint' ? number : number.coefficient
  return coefficient * 10n ** BigInt(scale - scaleOf(number))
}
