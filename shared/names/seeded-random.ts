import { createHash } from 'node:crypto'

/** A sequence of random bytes that a seed determines. No two calls use the same byte of it. */
export interface SeededRandom {
  /** Returns a number from 0 to `n - 1`. */
  readonly nextBelow: (n: number) => number
  readonly nextBytes: (count: number) => Uint8Array
}

/** The number of 64-bit words in the buffer, which holds four blocks. */
const wordsPerBuffer = 32
/** The number of 64-bit words in a key. The last words of the last buffer become the next key. */
const wordsPerKey = 4
/** The number of buffers that one key generates. */
const buffersPerKey = 4

/**
 * Creates the random numbers with which Pulumi fills name patterns: ChaCha8Rand, keyed by the
 * SHA-256 of the seed. A seed gives the same name here and in Pulumi.
 */
export function createSeededRandom(seed: Uint8Array): SeededRandom {
  const hash = createHash('sha256').update(seed).digest()
  let key = Uint32Array.from({ length: 8 }, (_, index) => hash.readUInt32LE(index * 4))
  let buffer = generateBlocks(key, 0)
  let bufferIndex = 0
  let wordIndex = 0
  let unusedBytes = new Uint8Array()
  const drawWord = (): bigint => {
    const end = bufferIndex === buffersPerKey - 1 ? wordsPerBuffer - wordsPerKey : wordsPerBuffer
    if (wordIndex === end) {
      bufferIndex = (bufferIndex + 1) % buffersPerKey
      if (bufferIndex === 0) key = buffer.slice(-2 * wordsPerKey)
      buffer = generateBlocks(key, bufferIndex * 4)
      wordIndex = 0
    }
    const [low = 0, high = 0] = buffer.subarray(2 * wordIndex, 2 * wordIndex + 2)
    wordIndex += 1
    return (BigInt(high) << 32n) | BigInt(low)
  }
  return {
    nextBelow(n) {
      const limit = 0xffff_ffff_ffff_ffffn - (0xffff_ffff_ffff_ffffn % BigInt(n))
      for (;;) {
        const word = drawWord()
        // Words from the limit on would make some numbers more likely than others.
        if (word < limit) return Number(word % BigInt(n))
      }
    },
    nextBytes(count) {
      const bytes = new Uint8Array(count)
      let filledCount = Math.min(count, unusedBytes.length)
      bytes.set(unusedBytes.subarray(0, filledCount))
      unusedBytes = unusedBytes.slice(filledCount)
      while (filledCount < count) {
        const wordBytes = Buffer.alloc(8)
        wordBytes.writeBigUInt64LE(drawWord())
        const copiedCount = Math.min(8, count - filledCount)
        bytes.set(wordBytes.subarray(0, copiedCount), filledCount)
        unusedBytes = Uint8Array.from(wordBytes.subarray(copiedCount))
        filledCount += copiedCount
      }
      return bytes
    },
  }
}

/** The constant words of ChaCha: the text `expand 32-byte k`. */
const constantWords = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]

/** Generates four blocks of ChaCha8 without nonce, with their words interleaved. */
function generateBlocks(key: Uint32Array, counter: number): Uint32Array {
  const interleaved = new Uint32Array(64)
  for (let block = 0; block < 4; block++) {
    const state = Uint32Array.from([...constantWords, ...key, counter + block, 0, 0, 0])
    for (let round = 0; round < 4; round++) mixDoubleRound(state)
    // Only the key words of the initial state are added, because its other words are known
    // constants.
    state.forEach((value, index) => {
      interleaved[4 * index + block] =
        value + (index >= 4 && index < 12 ? (key[index - 4] ?? 0) : 0)
    })
  }
  return interleaved
}

const columns = [0, 1, 2, 3].map(index => [index, index + 4, index + 8, index + 12] as const)
const diagonals = [0, 1, 2, 3].map(
  index => [index, 4 + ((index + 1) % 4), 8 + ((index + 2) % 4), 12 + ((index + 3) % 4)] as const,
)

function mixDoubleRound(state: Uint32Array): void {
  for (const [a, b, c, d] of [...columns, ...diagonals]) {
    mix(state, [a, b, d, 16])
    mix(state, [c, d, b, 12])
    mix(state, [a, b, d, 8])
    mix(state, [c, d, b, 7])
  }
}

/** Adds the second word to the first. The third becomes its XOR with that sum, rotated left. */
function mix(
  state: Uint32Array,
  [targetIndex, sourceIndex, rotatedIndex, bits]: readonly [
    target: number,
    source: number,
    rotated: number,
    bits: number,
  ],
): void {
  const sum = ((state[targetIndex] ?? 0) + (state[sourceIndex] ?? 0)) >>> 0
  state[targetIndex] = sum
  const word = (state[rotatedIndex] ?? 0) ^ sum
  state[rotatedIndex] = (word << bits) | (word >>> (32 - bits))
}
