/**
 * Encodes and decodes google.protobuf.Struct, Value and ListValue as plain JSON values, in one pass
 * and without intermediate messages. This codec replaces the generated one, which loses a property
 * called `__proto__` and refuses values that are nested deeper than 100 levels.
 *
 * Invariants: key order is kept. Any key is allowed. null, NaN, infinities and -0 survive. As in
 * JSON, `undefined` is omitted from objects and becomes null in lists.
 */
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'

type Fields = Record<string, unknown>

/**
 * Maximum nesting depth of decoded values. The decoder throws for a deeper value, before the value
 * overflows the call stack.
 */
const maxDepth = 1000

/** The tags of the fields in protobuf's wire format: field number and wire type. */
const tags = {
  structField: 10,
  entryKey: 10,
  entryValue: 18,
  listItem: 10,
  null: 8,
  number: 17,
  string: 26,
  bool: 32,
  struct: 42,
  list: 50,
} as const
/** The bits of a tag that contain the wire type. */
const wireTypeMask = 7

/** google.protobuf.Struct as a plain object. */
export const Struct = {
  encode(message: Fields, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    return writeStruct(message, writer)
  },
  decode(input: BinaryReader | Uint8Array, length?: number): Fields {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input)
    return readStruct(reader, endOf(reader, length), 0)
  },
  // Generated code calls `wrap` before `encode`, and `unwrap` after `decode`.
  wrap: (fields: Fields | undefined): Fields => fields ?? {},
  unwrap: (message: Fields): Fields => message,
}

/** google.protobuf.Value as any JSON value. */
export const Value = {
  encode(message: unknown, writer: BinaryWriter = new BinaryWriter()): BinaryWriter {
    return writeValue(message, writer)
  },
  decode(input: BinaryReader | Uint8Array, length?: number): unknown {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input)
    return readValue(reader, endOf(reader, length), 0)
  },
  wrap: (value: unknown): unknown => value,
  unwrap: (message: unknown): unknown => message,
}

function endOf(reader: BinaryReader, length: number | undefined): number {
  return length === undefined ? reader.len : reader.pos + length
}

function writeStruct(fields: Fields, writer: BinaryWriter): BinaryWriter {
  for (const key of Object.keys(fields)) {
    const value = fields[key]
    if (value === undefined) continue
    writer.uint32(tags.structField).fork().uint32(tags.entryKey).string(key)
    writeValue(value, writer.uint32(tags.entryValue).fork()).join()
    writer.join()
  }
  return writer
}

function writeValue(value: unknown, writer: BinaryWriter): BinaryWriter {
  if (value === null || value === undefined) return writer.uint32(tags.null).int32(0)
  switch (typeof value) {
    case 'string':
      return writer.uint32(tags.string).string(value)
    case 'number':
      return writer.uint32(tags.number).double(value)
    case 'boolean':
      return writer.uint32(tags.bool).bool(value)
    case 'object':
      if (Array.isArray(value)) return writeList(value, writer)
      return writeStruct(value as Fields, writer.uint32(tags.struct).fork()).join()
    default:
      throw new TypeError(`a ${typeof value} cannot be part of a Struct`)
  }
}

function writeList(items: readonly unknown[], writer: BinaryWriter): BinaryWriter {
  writer.uint32(tags.list).fork()
  for (const item of items) writeValue(item, writer.uint32(tags.listItem).fork()).join()
  return writer.join()
}

function readStruct(reader: BinaryReader, end: number, depth: number): Fields {
  if (depth > maxDepth) throw new RangeError(`a Struct is nested deeper than ${maxDepth} levels`)
  const fields: Fields = {}
  while (reader.pos < end) {
    const tag = reader.uint32()
    if (tag === tags.structField) readEntry(reader, fields, depth)
    else reader.skip(tag & wireTypeMask)
  }
  return fields
}

function readEntry(reader: BinaryReader, fields: Fields, depth: number): void {
  const end = reader.uint32() + reader.pos
  let key = ''
  let value: unknown = null
  while (reader.pos < end) {
    const tag = reader.uint32()
    if (tag === tags.entryKey) key = reader.string()
    else if (tag === tags.entryValue) {
      const length = reader.uint32()
      value = readValue(reader, reader.pos + length, depth)
    } else reader.skip(tag & wireTypeMask)
  }
  // Assigning to `__proto__` would set the prototype instead of a property.
  if (key === '__proto__')
    Object.defineProperty(fields, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  else fields[key] = value
}

function readValue(reader: BinaryReader, end: number, depth: number): unknown {
  let value: unknown = null
  while (reader.pos < end) {
    const tag = reader.uint32()
    switch (tag) {
      case tags.null:
        reader.int32()
        value = null
        break
      case tags.number:
        value = reader.double()
        break
      case tags.string:
        value = reader.string()
        break
      case tags.bool:
        value = reader.bool()
        break
      case tags.struct: {
        const length = reader.uint32()
        value = readStruct(reader, reader.pos + length, depth + 1)
        break
      }
      case tags.list: {
        const length = reader.uint32()
        value = readList(reader, reader.pos + length, depth + 1)
        break
      }
      default:
        reader.skip(tag & wireTypeMask)
    }
  }
  return value
}

function readList(reader: BinaryReader, end: number, depth: number): unknown[] {
  if (depth > maxDepth) throw new RangeError(`a list is nested deeper than ${maxDepth} levels`)
  const items: unknown[] = []
  while (reader.pos < end) {
    const tag = reader.uint32()
    if (tag === tags.listItem) {
      const length = reader.uint32()
      items.push(readValue(reader, reader.pos + length, depth))
    } else reader.skip(tag & wireTypeMask)
  }
  return items
}
