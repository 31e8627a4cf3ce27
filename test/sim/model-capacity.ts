import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { ModelItem } from './model-expressions.ts'

/** One billed request, in the units of AWS: 1 KB of a write, 4 KB of a strong read. */
export interface BilledRequest {
  readonly operation: string
  readonly table: string
  /** Number of requested or written items, including absent ones. */
  readonly items: number
  readonly readUnits: number
  readonly writeUnits: number
}

/** Returns the size of an item by the rules of AWS: its names and values. */
export function itemBytes(item: ModelItem): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value),
    0,
  )
}

/** Returns the units of a write, billed by the larger of old and new item. */
export function writeUnits(...items: readonly (ModelItem | undefined)[]): number {
  const bytes = items.map(item => (item === undefined ? 0 : itemBytes(item)))
  return Math.max(1, Math.ceil(Math.max(0, ...bytes) / 1024))
}

/**
 * Returns the units of a read of this many bytes. An absent item costs as much as the smallest one.
 */
export function readUnits(bytes: number, isStrong: boolean): number {
  return Math.max(1, Math.ceil(bytes / 4096)) * (isStrong ? 1 : 0.5)
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  if (value.N !== undefined) return numberBytes(value.N)
  if (value.B !== undefined) return value.B.byteLength
  if (value.SS !== undefined) return sum(value.SS, text => Buffer.byteLength(text))
  if (value.NS !== undefined) return sum(value.NS, numberBytes)
  return 1
}

/**
 * Returns the size of a number: one byte per two digits, one more byte, and another byte for a
 * minus sign.
 */
function numberBytes(text: string): number {
  const digits = text.replace(/^-/, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '')
  return Math.ceil(digits.length / 2) + 1 + (text.startsWith('-') ? 1 : 0)
}

function sum<T>(values: readonly T[], bytesOf: (value: T) => number): number {
  return values.reduce((total, value) => total + bytesOf(value), 0)
}
