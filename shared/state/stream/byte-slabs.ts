import { createPauser } from './pause.ts'

/** Size of the first slab. Each further slab is twice as large, up to `largestSlabBytes`. */
const firstSlabBytes = 1 << 16
/** The C library maps allocations of this size separately, so their memory can be released. */
const largestSlabBytes = 1 << 25

/** Size of one copy. A pause is possible after each copy. */
const copyBytes = 1 << 20

/** Collects bytes whose total is not known in advance, in arrays of fixed sizes (slabs). */
export interface ByteSlabs {
  readonly add: (bytes: Uint8Array) => void
  /**
   * Returns the bytes as one array, and releases the memory of each slab after its copy. Other work
   * of the process continues meanwhile.
   */
  readonly join: () => Promise<Uint8Array>
}

/** Creates an empty collection, which joins its bytes without holding them twice. */
export function createByteSlabs(): ByteSlabs {
  const slabs: { readonly bytes: Uint8Array<ArrayBuffer>; usedBytes: number }[] = []
  return {
    add(bytes) {
      let remainingBytes = bytes
      while (remainingBytes.length > 0) {
        let slab = slabs.at(-1)
        if (slab === undefined || slab.usedBytes === slab.bytes.length) {
          const size = Math.min((slab?.bytes.length ?? firstSlabBytes / 2) * 2, largestSlabBytes)
          slab = { bytes: new Uint8Array(size), usedBytes: 0 }
          slabs.push(slab)
        }
        const fittingBytes = remainingBytes.subarray(0, slab.bytes.length - slab.usedBytes)
        slab.bytes.set(fittingBytes, slab.usedBytes)
        slab.usedBytes += fittingBytes.length
        remainingBytes = remainingBytes.subarray(fittingBytes.length)
      }
    },
    async join() {
      const pauser = createPauser()
      const joined = new Uint8Array(slabs.reduce((total, { usedBytes }) => total + usedBytes, 0))
      let offset = 0
      for (const { bytes, usedBytes } of slabs) {
        for (let start = 0; start < usedBytes; start += copyBytes) {
          const copied = bytes.subarray(start, Math.min(start + copyBytes, usedBytes))
          joined.set(copied, offset)
          offset += copied.length
          await pauser.addBytes(copied.length)
        }
        // The transfer to an empty buffer releases the memory of the slab.
        bytes.buffer.transfer(0)
      }
      return joined
    },
  }
}
