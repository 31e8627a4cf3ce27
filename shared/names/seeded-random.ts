import { createHash } from 'node:crypto'

/**
 * A sequence of random numbers determined by a seed. Each call continues where the last one ended.
 */
export interface SeededRandom {
  /** Returns a number from 0 to `n - 1`. */
  readonly nextBelow: (n: number) => number
  readonly nextBytes: (count: number) => Uint8Array
}

/** 64-bit words of one round of blocks. The last words of the last round become the next key. */
const wordsOfBuffer = 32
const wordsOfKey = 4
/** Rounds of blocks under one key; each makes four blocks. */
const roundsOfKey = 4

/**
 * Creates the generator with which Pulumi fills name patterns: ChaCha8Rand, keyed by the SHA-256 of
 * the seed. One seed gives the same name in both engines.
 */
export function createSeededRandom(seed: Uint8Array): SeededRandom {
  const hash = createHash('sha256').update(seed).digest()
  let key = Uint32Array.from({ length: 8 }, (_, at) => hash.readUInt32LE(at * 4))
  let buffer = generateBlocks(key, 0)
  let round = 0
  let at = 0
  let rest = new Uint8Array()
  const nextWord = (): bigint => {
    const end = round === roundsOfKey - 1 ? wordsOfBuffer - wordsOfKey : wordsOfBuffer
    if (at === end) {
      round = (round + 1) % roundsOfKey
      if (round === 0) key = buffer.slice(-2 * wordsOfKey)
      buffer = generateBlocks(key, round * 4)
      at = 0
    }
    const [low = 0, high = 0] = buffer.subarray(2 * at, 2 * at + 2)
    at += 1
    return (BigInt(high) << 32n) | BigInt(low)
  }
  return {
    nextBelow(n) {
      const max = 0xffff_ffff_ffff_ffffn - (0xffff_ffff_ffff_ffffn % BigInt(n))
      for (;;) {
        const drawn = nextWord()
        // Larger values would make some numbers more likely than others.
        if (drawn < max) return Number(drawn % BigInt(n))
      }
    },
    nextBytes(count) {
      const filled = new Uint8Array(count)
      let done = Math.min(count, rest.length)
      filled.set(rest.subarray(0, done))
      rest = rest.slice(done)
      while (done < count) {
        const drawn = Buffer.alloc(8)
        drawn.writeBigUInt64LE(nextWord())
        const taken = Math.min(8, count - done)
        filled.set(drawn.subarray(0, taken), done)
        rest = Uint8Array.from(drawn.subarray(taken))
        done += taken
      }
      return filled
    },
  }
}

const constants = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]

/** Generates four blocks of ChaCha8 without nonce, with their words interleaved. */
function generateBlocks(key: Uint32Array, counter: number): Uint32Array {
  const woven = new Uint32Array(64)
  for (let block = 0; block < 4; block++) {
    const state = Uint32Array.from([...constants, ...key, counter + block, 0, 0, 0])
    for (let round = 0; round < 4; round++) mixDoubleRound(state)
    // Only the key words are added back, because the other words are known constants.
    state.forEach((value, at) => {
      woven[4 * at + block] = value + (at >= 4 && at < 12 ? (key[at - 4] ?? 0) : 0)
    })
  }
  return woven
}

const columns = [0, 1, 2, 3].map(at => [at, at + 4, at + 8, at + 12] as const)
const diagonals = [0, 1, 2, 3].map(
  at => [at, 4 + ((at + 1) % 4), 8 + ((at + 2) % 4), 12 + ((at + 3) % 4)] as const,
)

function mixDoubleRound(state: Uint32Array): void {
  for (const [a, b, c, d] of [...columns, ...diagonals]) {
    mix(state, [a, b, d, 16])
    mix(state, [c, d, b, 12])
    mix(state, [a, b, d, 8])
    mix(state, [c, d, b, 7])
  }
}

/** Adds the second word to the first, and rotates the XOR of the third word and that sum. */
function mix(
  state: Uint32Array,
  [to, from, turned, bits]: readonly [to: number, from: number, turned: number, bits: number],
): void {
  const sum = ((state[to] ?? 0) + (state[from] ?? 0)) >>> 0
  state[to] = sum
  const mixed = (state[turned] ?? 0) ^ sum
  state[turned] = (mixed << bits) | (mixed >>> (32 - bits))
}
