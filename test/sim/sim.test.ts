import { describe, expect, test } from 'vitest'
import { runSeed } from './many.ts'
import { drawSeed, judge } from './seed.ts'

describe('a deployment survives whatever strikes', () => {
  test.each(Array.from({ length: 10 }, (_none, at) => 10 * at + 1))(
    'ten seeds from %i on',
    async from => {
      for (let seed = from; seed < from + 10; seed += 1)
        expect((await runSeed(seed)).violations, `seed ${seed}`).toEqual([])
    },
  )
})

test('a seed is always the same', async () => {
  const lines = async (): Promise<readonly string[]> => (await judge(7, await drawSeed(7))).lines
  const [once, again] = [await lines(), await lines()]
  expect(again).toEqual(once)
  expect(once.length).toBeGreaterThan(100)
})
