import type {
  MsgpackValue,
  ReceivedValue,
} from '../../../shared/providers/terraform/client/terraform-client.ts'
import type { SchemaMessage } from '../../../shared/providers/terraform/client/schema-messages.ts'

/** A value in a test. Numbers are small integers. */
export type TestValue =
  | null
  | string
  | number
  | readonly TestValue[]
  | { readonly [key: string]: TestValue }

/** The value null of any type. */
export const nullValue: MsgpackValue = { msgpack: Uint8Array.of(0xc0) }

/** Encodes a value in MessagePack, independently of the product's codec. */
export function encodeTestValue(value: TestValue): MsgpackValue {
  return { msgpack: encode(value) }
}

/**
 * Encodes an object of a schema. Without a value, a list or set of blocks is empty, and any other
 * block or attribute is null.
 */
export function encodeObject(
  { block }: SchemaMessage,
  values: Readonly<Record<string, TestValue>>,
): MsgpackValue {
  const isListOrSet = (nesting: string): boolean => nesting === 'list' || nesting === 'set'
  const attributes = block.attributes.map(({ name }): [string, TestValue] => [name, null])
  const blocks = block.blockTypes.map(({ typeName, nesting }): [string, TestValue] => [
    typeName,
    isListOrSet(nesting) ? [] : null,
  ])
  return encodeTestValue({ ...Object.fromEntries([...attributes, ...blocks]), ...values })
}

/** Encodes with the formats nil (0xc0), str 8 (0xd9), array 16 (0xdc) and map 16 (0xde). */
function encode(value: TestValue): Buffer {
  if (value === null) return Buffer.from([0xc0])
  if (typeof value === 'number') return Buffer.from([value])
  if (typeof value === 'string')
    return Buffer.concat([Buffer.from([0xd9, Buffer.byteLength(value)]), Buffer.from(value)])
  if (isList(value))
    return Buffer.concat([Buffer.from([0xdc, 0, value.length]), ...value.map(encode)])
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const items = entries.flatMap(([key, item]) => [encode(key), encode(item)])
  return Buffer.concat([Buffer.from([0xde, 0, entries.length]), ...items])
}

function isList(value: TestValue): value is readonly TestValue[] {
  return Array.isArray(value)
}

/** Returns the bytes of a value as Latin-1 text, in which tests find its strings. */
export function toLatin1Text(value: ReceivedValue): string {
  if (value === undefined) return ''
  return Buffer.from('msgpack' in value ? value.msgpack : value.json).toString('latin1')
}
