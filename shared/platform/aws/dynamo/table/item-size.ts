import type { AttributeValue } from '@aws-sdk/client-dynamodb'

/** Returns the size of an item in bytes, by the rules of AWS: its names and values. */
export function itemBytesOf(item: Readonly<Record<string, AttributeValue>>): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytesOf(value),
    0,
  )
}

/** Returns the billed units of a write: one per KiB of the larger of the old and the new item. */
export function countWriteUnits(
  ...items: readonly (Readonly<Record<string, AttributeValue>> | undefined)[]
): number {
  const bytes = items.map(item => (item === undefined ? 0 : itemBytesOf(item)))
  return Math.max(1, Math.ceil(Math.max(0, ...bytes) / 1024))
}

function valueBytesOf(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  if (value.N !== undefined) return numberBytesOf(value.N)
  if (value.B !== undefined) return value.B.byteLength
  if (value.SS !== undefined) return sumBytes(value.SS, text => Buffer.byteLength(text))
  if (value.NS !== undefined) return sumBytes(value.NS, numberBytesOf)
  // A flag has one byte. Items have no other types.
  return 1
}

/**
 * Returns the bytes of a number: one byte per two digits, one more byte, and another byte for a
 * minus sign.
 */
function numberBytesOf(text: string): number {
  const digits = text.replace(/^-/, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '')
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0)
}

function sumBytes<T>(values: readonly T[], bytesOf: (value: T) => number): number {
  return values.reduce((total, value) => total + bytesOf(value), 0)
}
