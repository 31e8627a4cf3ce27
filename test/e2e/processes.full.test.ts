import { test } from 'vitest'
import { runRound } from './round.ts'
import { type Round, describeRound } from './rounds.ts'

const rounds: readonly Round[] = [
  { doing: 'update', kills: [{ whom: 'executor', part: 0.3, afterMs: 40 }] },
  { doing: 'replace', kills: [{ whom: 'all', part: 0.4, afterMs: 20 }] },
  {
    doing: 'delete-first',
    kills: [
      { whom: 'generator', part: 0.2, afterMs: 0 },
      { whom: 'executor', part: 0.5, afterMs: 30 },
    ],
  },
  { doing: 'mixed', kills: [{ whom: 'all', part: 0.6, afterMs: 0 }] },
  {
    doing: 'destroy-1000',
    kills: [
      { whom: 'executor', part: 0.2, afterMs: 10 },
      { whom: 'all', part: 0.5, afterMs: 50 },
      { whom: 'generator', part: 0.8, afterMs: 0 },
    ],
  },
]

test.each(rounds.map(round => [describeRound(round), round] as const))(
  '%s: the deployment resumes automatically, and the cloud equals the state',
  async (_told, round) => {
    await runRound(round)
  },
  400_000,
)
