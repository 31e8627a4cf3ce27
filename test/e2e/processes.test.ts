import { expect, test } from 'vitest'
import { runRound } from './round.ts'

test('a deployment whose generator is killed resumes automatically and reaches its goal', async () => {
  const kills = [{ whom: 'generator' as const, part: 0.25, afterMs: 0 }]
  const { unknown, repeated } = await runRound({ doing: 'create', kills })
  expect([unknown, repeated]).toEqual([0, 0])
}, 240_000)
