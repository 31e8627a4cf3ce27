import { createProviderBug } from './provider-bug.ts'

/** Reads MessagePack items. Each method throws TERRAFORM_PROVIDER_BUG when the bytes end early. */
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
  /** Returns the number of elements, which is at most that of the remaining bytes. */
  readonly readArrayHeader: () => number
  /** Returns the number of entries, which is at most half of the remaining bytes. */
  readonly readMapHeader: () => number
  readonly readExtension: () => { readonly code: number; readonly payload: Uint8Array }
  /** Skips one item with everything in it. */
  readonly skip: () => void
  readonly isAtEnd: () => boolean
}

/** The kinds of items. `invalid` is the unused code c1. */
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

  /** Moves over some bytes. Returns the position of the first one. */
  const take = (count: number): number => {
    const start = position
    if (count > bytes.length - start)
      throw createProviderBug('the provider sent a value that ends too early')
    position += count
    return start
  }
  const takeCode = (): number => view.getUint8(take(1))
  /** Reads a length of 1, 2 or 4 bytes. */
  const takeLength = (width: number): number => {
    if (width === 1) return view.getUint8(take(1))
    return width === 2 ? view.getUint16(take(2)) : view.getUint32(take(4))
  }
  const checkCount = (count: number, bytesEach: number): number => {
    if (count * bytesEach > bytes.length - position)
      throw createProviderBug('the provider sent a collection that ends too early')
    return count
  }
  const readHeader = (fixed: number, code16: number, bytesEach: number): number => {
    const code = takeCode()
    const count = code < 0xa0 ? code - fixed : takeLength(code === code16 ? 2 : 4)
    return checkCount(count, bytesEach)
  }
  const readText = (): string => {
    const length = textLengthOf(takeCode(), takeLength)
    const start = take(length)
    return readAscii(bytes, start, length) ?? decoder.decode(bytes.subarray(start, start + length))
  }
  const reader: MsgpackReader = {
    peekKind: () => (position < bytes.length ? kindOf(view.getUint8(position)) : 'end'),
    readNull: () => void take(1),
    readBool: () => takeCode() === 0xc3,
    readInteger: () => readIntegerOf(takeCode(), view, take),
    readFloat: () => (takeCode() === 0xca ? view.getFloat32(take(4)) : view.getFloat64(take(8))),
    readText,
    readArrayHeader: () => readHeader(0x90, 0xdc, 1),
    readMapHeader: () => readHeader(0x80, 0xde, 2),
    readExtension: () => {
      const code = takeCode()
      const length = code >= 0xd4 ? 1 << (code - 0xd4) : takeLength(1 << (code - 0xc7))
      const type = view.getInt8(take(1))
      const start = take(length)
      return { code: type, payload: bytes.subarray(start, start + length) }
    },
    skip: () => skipItems(reader),
    isAtEnd: () => position === bytes.length,
  }
  return reader
}

/** Skips one item. It counts the items left instead of calling itself, so depth has no limit. */
function skipItems(reader: MsgpackReader): void {
  for (let left = 1; left > 0; left -= 1)
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
        left += reader.readArrayHeader()
        break
      case 'map':
        left += 2 * reader.readMapHeader()
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

function readIntegerOf(code: number, view: DataView, take: (count: number) => number): bigint {
  if (code < 0x80) return BigInt(code)
  if (code >= 0xe0) return BigInt(code - 0x100)
  switch (code) {
    case 0xcc:
      return BigInt(view.getUint8(take(1)))
    case 0xcd:
      return BigInt(view.getUint16(take(2)))
    case 0xce:
      return BigInt(view.getUint32(take(4)))
    case 0xcf:
      return view.getBigUint64(take(8))
    case 0xd0:
      return BigInt(view.getInt8(take(1)))
    case 0xd1:
      return BigInt(view.getInt16(take(2)))
    case 0xd2:
      return BigInt(view.getInt32(take(4)))
    default:
      return view.getBigInt64(take(8))
  }
}

/** Returns the length of a text or of binary data. */
function textLengthOf(code: number, takeLength: (width: number) => number): number {
  if (code < 0xc0) return code - 0xa0
  return takeLength(1 << (code < 0xc7 ? code - 0xc4 : code - 0xd9))
}

/** Reads short texts without the decoder, which is slow for keys. Undefined if not ASCII. */
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
