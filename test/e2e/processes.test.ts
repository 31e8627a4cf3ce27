import { expect, test } from 'vitest'
import { runRound } from './round.ts'

test('a deployment whose generator is killed resumes automatically and reaches its goal', async () => {
  const kills = [{ target: 'generator' as const, callShare: 0.25, afterMs: 0 }]
  const { unknownCreates, repeatedCalls } = await runRound({ kind: 'create', kills })
  expect([unknownCreates, repeatedCalls]).toEqual([0, 0])
}, 240_000)
