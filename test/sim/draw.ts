/**
 * sim: the whole engine in virtual time. Its real handlers run over simulated ports and a model
 * cloud, with programs and faults drawn from a seed. Imports everything.
 *
 * Invariants: a run is a function of the seed, the platform and the list of faults alone. A run
 * never waits for real time, and reads no real clock, no file and no network. Checks read the
 * records, the model cloud and the published states, never the engine's own reports.
 */

/**
 * A stream of random numbers. Forks of one seed with the same name are equal, and do not depend on
 * other draws.
 */
export interface SeededDraw {
  /** In [0, 1). */
  readonly unit: () => number
  /** A whole number from `min` to `max`, both included. */
  readonly integer: (min: number, max: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(items: readonly [T, ...T[]]) => T
  /** Returns an independent stream. */
  readonly fork: (name: string | number) => SeededDraw
}

/** Creates the stream of a seed. */
export function createDraw(seed: number): SeededDraw {
  let state = mixBits(seed >>> 0)
  // The numbers follow the algorithm mulberry32.
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (min: number, max: number): number => min + Math.floor(unit() * (max - min + 1))
  return {
    unit,
    integer,
    chance: probability => unit() < probability,
    pick: items => items[integer(0, items.length - 1)] ?? items[0],
    fork: name => createDraw(hashText(String(name), seed)),
  }
}

/** Mixes the bits of a number, as the last step of MurmurHash3 does. */
function mixBits(value: number): number {
  const firstMix = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  const secondMix = Math.imul(firstMix ^ (firstMix >>> 13), 0xc2b2ae35)
  return (secondMix ^ (secondMix >>> 16)) >>> 0
}

/** Returns the FNV-1a hash of a text. Its initial value contains the seed. */
function hashText(text: string, seed: number): number {
  let hash = (0x811c9dc5 ^ mixBits(seed >>> 0)) >>> 0
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  return mixBits(hash)
}
