import { expect, test } from 'vitest'
import { runFuzz } from './run-fuzz.ts'

test('a run whose thread hangs has the counts and the defects of the inputs before', async () => {
  const script = new URL('./hanging-thread.fixture.ts', import.meta.url)
  const run = { decoder: 'none', seed: 1, from: 10, count: 100 }
  expect(await runFuzz(run, { script, hangMs: 1_000 })).toMatchObject({
    inputCount: 5,
    acceptedCount: 1,
    refusedCount: 2,
    defects: [
      { index: 13, problem: 'a defect' },
      { index: 14, problem: 'no result within 1000 ms' },
    ],
  })
})

test('a run counts accepted and refused inputs', async () => {
  const run = { decoder: 'values', seed: 1, from: 3, count: 60 }
  const { inputCount, acceptedCount, refusedCount, defects } = await runFuzz(run)
  expect([inputCount, acceptedCount + refusedCount, defects]).toEqual([60, 60, []])
  expect(Math.min(acceptedCount, refusedCount)).toBeGreaterThan(0)
})
