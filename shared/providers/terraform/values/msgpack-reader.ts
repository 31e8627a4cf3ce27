import { createProviderBug } from './provider-bug.ts'

/**
 * Reads MessagePack items. A read does not check the kind of its item, so callers call `peekKind`
 * first. Each read throws TERRAFORM_PROVIDER_BUG when the bytes end early.
 */
export interface MsgpackReader {
  /** Returns the kind of the next item without reading it. */
  readonly peekKind: () => MsgpackKind
  readonly readNull: () => void
  readonly readBool: () => boolean
  /** Reads an integer of any width, signed or unsigned. */
  readonly readInteger: () => bigint
  /** Reads a float of any width. */
  readonly readFloat: () => number
  /** Reads a text or binary item as UTF-8. Invalid bytes become U+FFFD. */
  readonly readText: () => string
  /** Returns the number of elements, which is at most the number of remaining bytes. */
  readonly readArrayHeader: () => number
  /** Returns the number of entries, which is at most half of the remaining bytes. */
  readonly readMapHeader: () => number
  readonly readExtension: () => { readonly code: number; readonly payload: Uint8Array }
  /** Skips one item with everything in it. */
  readonly skip: () => void
  readonly isAtEnd: () => boolean
}

/** The kinds of items. `invalid` is the unused code 0xc1, and `end` is the end of the bytes. */
export type MsgpackKind =
  | 'null'
  | 'bool'
  | 'integer'
  | 'float'
  | 'text'
  | 'array'
  | 'map'
  | 'extension'
  | 'invalid'
  | 'end'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Creates a reader at the start of some bytes. */
export function createMsgpackReader(bytes: Uint8Array): MsgpackReader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let position = 0

  /** Advances over some bytes. Returns the position of the first one. */
  const advance = (count: number): number => {
    const start = position
    if (count > bytes.length - start)
      throw createProviderBug('the provider sent a value that ends too early')
    position += count
    return start
  }
  const readCode = (): number => view.getUint8(advance(1))
  /** Reads a length of 1, 2 or 4 bytes. */
  const readLength = (width: number): number => {
    if (width === 1) return view.getUint8(advance(1))
    return width === 2 ? view.getUint16(advance(2)) : view.getUint32(advance(4))
  }
  const checkCount = (count: number, minBytesEach: number): number => {
    if (count * minBytesEach > bytes.length - position)
      throw createProviderBug('the provider sent a collection that ends too early')
    return count
  }
  const readHeader = (shortCode: number, code16: number, minBytesEach: number): number => {
    const code = readCode()
    const count = code < 0xa0 ? code - shortCode : readLength(code === code16 ? 2 : 4)
    return checkCount(count, minBytesEach)
  }
  const readText = (): string => {
    const length = textLengthOf(readCode(), readLength)
    const start = advance(length)
    return readAscii(bytes, start, length) ?? decoder.decode(bytes.subarray(start, start + length))
  }
  const reader: MsgpackReader = {
    peekKind: () => (position < bytes.length ? kindOf(view.getUint8(position)) : 'end'),
    readNull: () => void advance(1),
    readBool: () => readCode() === 0xc3,
    readInteger: () => readIntegerOf(readCode(), view, advance),
    readFloat: () =>
      readCode() === 0xca ? view.getFloat32(advance(4)) : view.getFloat64(advance(8)),
    readText,
    readArrayHeader: () => readHeader(0x90, 0xdc, 1),
    readMapHeader: () => readHeader(0x80, 0xde, 2),
    readExtension: () => {
      const itemCode = readCode()
      const length = itemCode >= 0xd4 ? 1 << (itemCode - 0xd4) : readLength(1 << (itemCode - 0xc7))
      const code = view.getInt8(advance(1))
      const start = advance(length)
      return { code, payload: bytes.subarray(start, start + length) }
    },
    skip: () => skipItems(reader),
    isAtEnd: () => position === bytes.length,
  }
  return reader
}

/** Skips one item. It counts remaining items and is not recursive, so any depth is possible. */
function skipItems(reader: MsgpackReader): void {
  for (let remainingItems = 1; remainingItems > 0; remainingItems -= 1)
    switch (reader.peekKind()) {
      case 'null':
      case 'bool':
        reader.readNull()
        break
      case 'integer':
        reader.readInteger()
        break
      case 'float':
        reader.readFloat()
        break
      case 'text':
        reader.readText()
        break
      case 'array':
        remainingItems += reader.readArrayHeader()
        break
      case 'map':
        remainingItems += 2 * reader.readMapHeader()
        break
      case 'extension':
        reader.readExtension()
        break
      case 'invalid':
      case 'end':
        throw createProviderBug('the provider sent a malformed value')
    }
}

function kindOf(code: number): MsgpackKind {
  if (code < 0x80 || code >= 0xe0) return 'integer'
  if (code < 0x90) return 'map'
  if (code < 0xa0) return 'array'
  if (code < 0xc0) return 'text'
  if (code === 0xc0) return 'null'
  if (code === 0xc1) return 'invalid'
  if (code < 0xc4) return 'bool'
  if (code < 0xc7) return 'text'
  if (code < 0xca) return 'extension'
  if (code < 0xcc) return 'float'
  if (code < 0xd4) return 'integer'
  if (code < 0xd9) return 'extension'
  if (code < 0xdc) return 'text'
  return code < 0xde ? 'array' : 'map'
}

function readIntegerOf(code: number, view: DataView, advance: (count: number) => number): bigint {
  if (code < 0x80) return BigInt(code)
  if (code >= 0xe0) return BigInt(code - 0x100)
  switch (code) {
    case 0xcc:
      return BigInt(view.getUint8(advance(1)))
    case 0xcd:
      return BigInt(view.getUint16(advance(2)))
    case 0xce:
      return BigInt(view.getUint32(advance(4)))
    case 0xcf:
      return view.getBigUint64(advance(8))
    case 0xd0:
      return BigInt(view.getInt8(advance(1)))
    case 0xd1:
      return BigInt(view.getInt16(advance(2)))
    case 0xd2:
      return BigInt(view.getInt32(advance(4)))
    default:
      return view.getBigInt64(advance(8))
  }
}

/** Returns the length of a text or of binary data in bytes. */
function textLengthOf(code: number, readLength: (width: number) => number): number {
  if (code < 0xc0) return code - 0xa0
  return readLength(1 << (code < 0xc7 ? code - 0xc4 : code - 0xd9))
}

/**
 * Reads a short ASCII text, such as a key, without the decoder, which is slow for short texts.
 * Returns undefined for other texts.
 */
function readAscii(bytes: Uint8Array, start: number, length: number): string | undefined {
  if (length > 24) return undefined
  let text = ''
  for (let index = start; index < start + length; index++) {
    const byte = bytes[index] ?? 0
    if (byte >= 0x80) return undefined
    text += String.fromCharCode(byte)
  }
  return text
}
