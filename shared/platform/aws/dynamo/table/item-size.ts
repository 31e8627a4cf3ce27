import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** Returns the size of an item in bytes, by the rules of AWS: its names and values. */
export function itemBytes(item: Readonly<Record<string, AttributeValue>>): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value),
    0,
  )
}

/** Returns the billed units of a write: one per KiB of the larger of the old and the new item. */
export function writeUnits(
  ...items: readonly (Readonly<Record<string, AttributeValue>> | undefined)[]
): number {
  const bytes = items.map(item => (item === undefined ? 0 : itemBytes(item)))
  return Math.max(1, Math.ceil(Math.max(0, ...bytes) / 1024))
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  if (value.N !== undefined) return numberBytes(value.N)
  if (value.B !== undefined) return value.B.byteLength
  if (value.SS !== undefined) return sumBytes(value.SS, text => Buffer.byteLength(text))
  if (value.NS !== undefined) return sumBytes(value.NS, numberBytes)
  return 1
}

/**
 * Returns the bytes of a number: one byte per two digits, one more byte, and another byte for a
 * minus sign.
 */
function numberBytes(text: string): number {
  const digits = text.replace(/^-/, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '')
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0)
}

function sumBytes<T>(values: readonly T[], bytesOf: (value: T) => number): number {
  return values.reduce((total, value) => total + bytesOf(value), 0)
}
