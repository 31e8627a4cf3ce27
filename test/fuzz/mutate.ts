import { createFuzzRandom } from './fuzz-random.ts'
import { mutateBytes } from './mutate-bytes.ts'
import { mutateJson } from './mutate-json.ts'

/** The largest mutated input, in bytes. */
const inputBytesMax = 1 << 20

/**
 * Returns the input `index` of a run: an item of the corpus with mutations of its JSON, its bytes,
 * or both. The result depends on the arguments only, so one input of a run can be repeated.
 */
export function createMutant(
  corpus: readonly Uint8Array[],
  seed: number,
  index: number,
): Uint8Array {
  const random = createFuzzRandom(seed, index)
  let bytes = random.pick(corpus)
  if (random.integerBelow(3) > 0) {
    const decoder = new TextDecoder()
    const mutated = mutateJson(decoder.decode(bytes), decoder.decode(random.pick(corpus)), random)
    if (mutated !== undefined) bytes = Buffer.from(mutated)
    // The bytes of three of four JSON inputs are not mutated, so their JSON remains valid.
    if (mutated !== undefined && random.integerBelow(4) > 0) return bytes
  }
  for (let count = 1 + random.integerBelow(4); count > 0; count--)
    bytes = mutateBytes(bytes, random.pick(corpus), random)
  return bytes.length > inputBytesMax ? bytes.subarray(0, inputBytesMax) : bytes
}
