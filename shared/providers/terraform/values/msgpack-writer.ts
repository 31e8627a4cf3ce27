import { type ByteBuffer, createByteBuffer } from './byte-buffer.ts'

/** Appends MessagePack items to a growing buffer. */
export interface MsgpackWriter {
  readonly writeNull: () => void
  readonly writeBool: (isTrue: boolean) => void
  /** Writes an integer in its shortest form. It must fit into 64 bits, signed. */
  readonly writeInteger: (integer: bigint) => void
  readonly writeFloat: (float: number) => void
  readonly writeText: (text: string) => void
  readonly writeBytes: (bytes: Uint8Array) => void
  readonly writeArrayHeader: (length: number) => void
  readonly writeMapHeader: (size: number) => void
  readonly writeExtension: (code: number, payload: Uint8Array) => void
  /** Returns all bytes that were written. */
  readonly finish: () => Uint8Array
}

const encoder = new TextEncoder()

/** Creates an empty writer. */
export function createMsgpackWriter(): MsgpackWriter {
  const buffer = createByteBuffer()
  return {
    writeNull: () => buffer.write8(0xc0),
    writeBool: isTrue => buffer.write8(isTrue ? 0xc3 : 0xc2),
    writeInteger: integer =>
      integer < 0n ? writeNegative(buffer, integer) : writePositive(buffer, integer),
    writeFloat: float => {
      buffer.write8(0xcb)
      buffer.writeDouble(float)
    },
    writeText: text => {
      const bytes = encoder.encode(text)
      if (bytes.length < 32) buffer.write8(0xa0 | bytes.length)
      else writeLength(buffer, 0xd9, bytes.length)
      buffer.append(bytes)
    },
    writeBytes: bytes => {
      writeLength(buffer, 0xc4, bytes.length)
      buffer.append(bytes)
    },
    writeArrayHeader: count =>
      count < 16 ? buffer.write8(0x90 | count) : writeLongLength(buffer, 0xdc, count),
    writeMapHeader: size =>
      size < 16 ? buffer.write8(0x80 | size) : writeLongLength(buffer, 0xde, size),
    writeExtension: (code, payload) => {
      const fixedSizeIndex = [1, 2, 4, 8, 16].indexOf(payload.length)
      if (fixedSizeIndex >= 0) buffer.write8(0xd4 + fixedSizeIndex)
      else writeLength(buffer, 0xc7, payload.length)
      buffer.write8(code)
      buffer.append(payload)
    },
    finish: () => buffer.toBytes(),
  }
}

/** Writes a length in 1, 2 or 4 bytes. The codes of the three widths are consecutive. */
function writeLength(buffer: ByteBuffer, code8: number, length: number): void {
  if (length < 0x100) {
    buffer.write8(code8)
    buffer.write8(length)
  } else writeLongLength(buffer, code8 + 1, length)
}

/** Writes a length in 2 or 4 bytes. */
function writeLongLength(buffer: ByteBuffer, code16: number, length: number): void {
  if (length < 0x1_0000) {
    buffer.write8(code16)
    buffer.write16(length)
  } else {
    buffer.write8(code16 + 1)
    buffer.write32(length)
  }
}

function writePositive(buffer: ByteBuffer, integer: bigint): void {
  const number = Number(integer)
  if (number < 0x80) buffer.write8(number)
  else if (number < 0x1_0000_0000) writeLength(buffer, 0xcc, number)
  else {
    buffer.write8(0xcf)
    buffer.write64(integer)
  }
}

function writeNegative(buffer: ByteBuffer, integer: bigint): void {
  const number = Number(integer)
  if (number >= -0x20) buffer.write8(number)
  else if (number >= -0x80) {
    buffer.write8(0xd0)
    buffer.write8(number)
  } else if (number >= -0x8000) {
    buffer.write8(0xd1)
    buffer.write16(number)
  } else if (number >= -0x8000_0000) {
    buffer.write8(0xd2)
    buffer.write32(number)
  } else {
    buffer.write8(0xd3)
    buffer.write64(BigInt.asUintN(64, integer))
  }
}
