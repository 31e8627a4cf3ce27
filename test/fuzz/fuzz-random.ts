/** Random numbers of one mutated input. The same seed always draws the same numbers. */
export interface FuzzRandom {
  /** Returns an integer from 0 to `bound` - 1. */
  readonly integerBelow: (bound: number) => number
  /** Returns an item of a list that is not empty. */
  readonly pick: <T>(items: readonly T[]) => T
}

/** Creates the random numbers of the input `index` of a run with `seed` (algorithm: mulberry32). */
export function createFuzzRandom(seed: number, index: number): FuzzRandom {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0
  const draw = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (bound: number): number => Math.floor((draw() / 2 ** 32) * bound)
  return {
    integerBelow: below,
    pick: items => {
      const item = items[below(items.length)]
      if (item === undefined) throw new RangeError('an empty list has no item to pick')
      return item
    },
  }
}
