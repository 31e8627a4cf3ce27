import fc from 'fast-check'
import { test } from 'vitest'
import { checkKill } from './check-kill.ts'

/** ANTICHAIN_SEED repeats the kills of an earlier run. The test names contain the seed. */
const seed = Number(process.env['ANTICHAIN_SEED'] ?? Date.now() % 2 ** 31)

const killings = fc.sample(
  fc.record({
    target: fc.constantFrom('group' as const, 'process' as const),
    // Eight creates run at the same time, so a kill after more objects can come after the last
    // create.
    objects: fc.integer({ min: 0, max: 36 }),
  }),
  { seed, numRuns: 30 },
)

test.each(killings)(
  `seed ${seed}: a kill of the $target after $objects of 50 creates loses no object`,
  async killing => {
    await checkKill(killing)
  },
  240_000,
)
