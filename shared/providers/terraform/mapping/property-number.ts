import { type CtyNumber, formatCtyNumber, parseCtyNumber } from '../values/cty-number.ts'

/** Returns a number as a double if the double keeps all digits. Otherwise returns exact text. */
export function toPropertyNumber(number: CtyNumber): number | string {
  const text = formatCtyNumber(number)
  const float = Number(text)
  const shortest = parseCtyNumber(String(float))
  return shortest !== undefined && formatCtyNumber(shortest) === text ? float : text
}
