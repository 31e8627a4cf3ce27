import { describe, expect, test } from 'vitest'
import { runSeed } from './run-seed.ts'
import { drawSeed, runSeedFaults } from './seed-faults.ts'

describe('a deployment survives all faults', () => {
  test.each(Array.from({ length: 10 }, (_none, index) => 10 * index + 1))(
    'in ten seeds from %i on',
    async from => {
      for (let seed = from; seed < from + 10; seed += 1)
        expect((await runSeed(seed)).violations, `seed ${seed}`).toEqual([])
    },
  )
})

test('a seed always has the same result', async () => {
  const readLines = async (): Promise<readonly string[]> =>
    (await runSeedFaults(7, await drawSeed(7))).lines
  const [once, again] = [await readLines(), await readLines()]
  expect(again).toEqual(once)
  expect(once.length).toBeGreaterThan(100)
})
