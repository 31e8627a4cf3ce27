/** A buffer that grows at its end. Numbers are written with the most significant byte first. */
export interface ByteBuffer {
  readonly write8: (number: number) => void
  readonly write16: (number: number) => void
  readonly write32: (number: number) => void
  readonly write64: (integer: bigint) => void
  readonly writeDouble: (float: number) => void
  readonly append: (bytes: Uint8Array) => void
  /** Returns a copy of all bytes. */
  readonly toBytes: () => Uint8Array
}

/** Creates an empty buffer. */
export function createByteBuffer(): ByteBuffer {
  let buffer = new Uint8Array(256)
  let view = new DataView(buffer.buffer)
  let length = 0

  /**
   * Makes room for some bytes, in a larger buffer if necessary. Returns the position of the first
   * one.
   */
  const reserve = (count: number): number => {
    const start = length
    length += count
    if (length > buffer.length) {
      const larger = new Uint8Array(Math.max(length, buffer.length * 2))
      larger.set(buffer)
      buffer = larger
      view = new DataView(buffer.buffer)
    }
    return start
  }
  // `reserve` may replace `buffer` and `view`, so each function calls it before it uses them.
  return {
    write8: number => {
      const start = reserve(1)
      view.setUint8(start, number)
    },
    write16: number => {
      const start = reserve(2)
      view.setUint16(start, number)
    },
    write32: number => {
      const start = reserve(4)
      view.setUint32(start, number)
    },
    write64: integer => {
      const start = reserve(8)
      view.setBigUint64(start, integer)
    },
    writeDouble: float => {
      const start = reserve(8)
      view.setFloat64(start, float)
    },
    append: bytes => {
      const start = reserve(bytes.length)
      buffer.set(bytes, start)
    },
    toBytes: () => buffer.slice(0, length),
  }
}
