import fc from 'fast-check'
import { test } from 'vitest'
import { checkGoesOn } from './processes.ts'

/** Give ANTICHAIN_SEED to see a night's moments again; the names of the tests tell them. */
const seed = Number(process.env['ANTICHAIN_SEED'] ?? Date.now() % 2 ** 31)

const killings = fc.sample(
  fc.record({
    whom: fc.constantFrom('generator' as const, 'executor' as const, 'all' as const),
    during: fc.constantFrom('up' as const, 'destroy' as const),
    objects: fc.integer({ min: 0, max: 40 }),
  }),
  { seed, numRuns: 50 },
)

test.each(killings)(
  `seed ${seed}: $during goes on by itself when $whom is killed after $objects of 50`,
  async killing => {
    await checkGoesOn(killing)
  },
  120_000,
)
