/** Precision of numbers in bits. It is the precision with which cty parses texts. */
const precisionBits = 512
/** Maximum number of digits of a decimal that needs no rounding: `floor(511 × log10(2))`. */
const exactDigitsMax = 153
/** Maximum number of digits in the shortest decimal of a number: `ceil(1 + 512 × log10(2))`. */
const shortestDigitsMax = 156

/** The number `coefficient × 10^exponent`. */
interface ScaledInteger {
  readonly coefficient: bigint
  readonly exponent: number
}

/**
 * Rounds a number, which is not zero, to the precision of cty. Returns the shortest decimal that
 * identifies the rounded number. 10 does not divide the coefficient of the result.
 */
export function roundDecimal(coefficient: bigint, exponent: number): ScaledInteger {
  const trimmed = trimZeros(coefficient, exponent)
  if (digitsOf(trimmed.coefficient) <= exactDigitsMax) return trimmed
  const isNegative = coefficient < 0n
  const positive = isNegative ? -trimmed.coefficient : trimmed.coefficient
  const rounded = shortestDecimalOf(roundToBinary(positive, trimmed.exponent))
  return isNegative ? { ...rounded, coefficient: -rounded.coefficient } : rounded
}

function trimZeros(coefficient: bigint, exponent: number): ScaledInteger {
  const text = coefficient.toString()
  const zeros = text.length - text.replace(/0+$/, '').length
  return {
    coefficient: zeros === 0 ? coefficient : BigInt(text.slice(0, -zeros)),
    exponent: exponent + zeros,
  }
}

function digitsOf(coefficient: bigint): number {
  return coefficient.toString().length - (coefficient < 0n ? 1 : 0)
}

/** The number `mantissa × 2^exponent`, with a mantissa of 512 bits. */
interface BinaryNumber {
  readonly mantissa: bigint
  readonly exponent: number
}

/** Rounds a positive decimal to the nearest binary number. Ties go to the even mantissa. */
function roundToBinary(coefficient: bigint, exponent: number): BinaryNumber {
  const numerator = exponent > 0 ? coefficient * 10n ** BigInt(exponent) : coefficient
  const denominator = exponent < 0 ? 10n ** BigInt(-exponent) : 1n
  let shift = bitsOf(numerator) - bitsOf(denominator) - precisionBits
  for (;;) {
    const top = shift < 0 ? numerator << BigInt(-shift) : numerator
    const bottom = shift > 0 ? denominator << BigInt(shift) : denominator
    const mantissa = top / bottom
    const missingBits = precisionBits - bitsOf(mantissa)
    if (missingBits !== 0) {
      shift -= missingBits
      continue
    }
    const doubledRemainder = 2n * (top - mantissa * bottom)
    const roundsUp =
      doubledRemainder > bottom || (doubledRemainder === bottom && mantissa % 2n === 1n)
    const roundedMantissa = roundsUp ? mantissa + 1n : mantissa
    return bitsOf(roundedMantissa) > precisionBits
      ? { mantissa: roundedMantissa / 2n, exponent: shift + 1 }
      : { mantissa: roundedMantissa, exponent: shift }
  }
}

function bitsOf(integer: bigint): number {
  return integer.toString(2).length
}

/**
 * Returns the shortest of the decimals that differ from the number by at most half a unit of its
 * mantissa. Of equally short decimals, returns the nearest one.
 */
function shortestDecimalOf({ mantissa, exponent }: BinaryNumber): ScaledInteger {
  // `value` is the number, and `halfUnit` half a unit of its mantissa. If `halfUnit` has a
  // fraction, both are multiplied by 10^-shift.
  const shift = exponent - 1
  const scale = (integer: bigint): bigint =>
    shift < 0 ? integer * 5n ** BigInt(-shift) : integer << BigInt(shift)
  const value = scale(2n * mantissa)
  const halfUnit = scale(1n)
  // A decimal exactly between two mantissas rounds to the even one.
  const isInclusive = mantissa % 2n === 0n
  const isInside = (candidate: bigint): boolean => {
    const distance = candidate > value ? candidate - value : value - candidate
    return isInclusive ? distance <= halfUnit : distance < halfUnit
  }
  let droppedDigits = Math.max(0, digitsOf(value) - shortestDigitsMax)
  let nearest = roundAt(value, droppedDigits)
  for (;;) {
    const next = roundAt(value, droppedDigits + 1)
    if (!isInside(next)) break
    droppedDigits += 1
    nearest = next
  }
  return trimZeros(nearest, shift < 0 ? shift : 0)
}

/** Rounds to the nearest multiple of a power of ten. Ties are rounded up. */
function roundAt(value: bigint, droppedDigits: number): bigint {
  const unit = 10n ** BigInt(droppedDigits)
  return ((value + unit / 2n) / unit) * unit
}
