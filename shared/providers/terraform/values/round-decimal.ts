/** Precision of numbers in bits. It is the precision with which cty parses texts. */
const precisionBits = 512
/** Each text with this many digits survives the precision unchanged. */
const safeDigits = 153
/** More digits than any shortest text has. */
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
  if (digitsOf(trimmed.coefficient) <= safeDigits) return trimmed
  const isNegative = coefficient < 0n
  const positive = isNegative ? -trimmed.coefficient : trimmed.coefficient
  const rounded = shortestOf(roundToBinary(positive, trimmed.exponent))
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

/** Rounds a positive decimal to the nearest binary number, and to the even one of two nearest. */
function roundToBinary(coefficient: bigint, exponent: number): BinaryNumber {
  const numerator = exponent > 0 ? coefficient * 10n ** BigInt(exponent) : coefficient
  const denominator = exponent < 0 ? 10n ** BigInt(-exponent) : 1n
  let shift = bitsOf(numerator) - bitsOf(denominator) - precisionBits
  for (;;) {
    const top = shift < 0 ? numerator << BigInt(-shift) : numerator
    const bottom = shift > 0 ? denominator << BigInt(shift) : denominator
    const mantissa = top / bottom
    const missing = precisionBits - bitsOf(mantissa)
    if (missing !== 0) {
      shift -= missing
      continue
    }
    const doubledRest = 2n * (top - mantissa * bottom)
    const isUp = doubledRest > bottom || (doubledRest === bottom && mantissa % 2n === 1n)
    return { mantissa: isUp ? mantissa + 1n : mantissa, exponent: shift }
  }
}

function bitsOf(integer: bigint): number {
  return integer.toString(2).length
}

/**
 * Returns the decimal with the fewest digits between the two numbers half a unit away. Of those
 * with equally few digits, the nearest one is taken.
 */
function shortestOf({ mantissa, exponent }: BinaryNumber): ScaledInteger {
  // All three are multiplied with two, and with a power of ten if they have fractions.
  const shift = exponent - 1
  const scale = (integer: bigint): bigint =>
    shift < 0 ? integer * 5n ** BigInt(-shift) : integer << BigInt(shift)
  const value = scale(2n * mantissa)
  const half = scale(1n)
  const isInclusive = mantissa % 2n === 0n
  const isInside = (candidate: bigint): boolean => {
    const distance = candidate > value ? candidate - value : value - candidate
    return isInclusive ? distance <= half : distance < half
  }
  let dropped = Math.max(0, digitsOf(value) - shortestDigitsMax)
  let nearest = roundAt(value, dropped)
  for (;;) {
    const next = roundAt(value, dropped + 1)
    if (!isInside(next)) break
    dropped += 1
    nearest = next
  }
  return trimZeros(nearest, shift < 0 ? shift : 0)
}

/** Rounds to the nearest multiple of a power of ten. */
function roundAt(value: bigint, digits: number): bigint {
  const unit = 10n ** BigInt(digits)
  return ((value + unit / 2n) / unit) * unit
}
