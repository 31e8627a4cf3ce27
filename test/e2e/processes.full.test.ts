import { test } from 'vitest'
import { runRound } from './round.ts'
import { type Round, describeRound } from './rounds.ts'

const rounds: readonly Round[] = [
  { kind: 'update', kills: [{ target: 'executor', callShare: 0.3, afterMs: 40 }] },
  { kind: 'replace', kills: [{ target: 'all', callShare: 0.4, afterMs: 20 }] },
  {
    kind: 'delete-first',
    kills: [
      { target: 'generator', callShare: 0.2, afterMs: 0 },
      { target: 'executor', callShare: 0.5, afterMs: 30 },
    ],
  },
  { kind: 'mixed', kills: [{ target: 'all', callShare: 0.6, afterMs: 0 }] },
  {
    kind: 'destroy',
    kills: [
      { target: 'executor', callShare: 0.2, afterMs: 10 },
      { target: 'all', callShare: 0.5, afterMs: 50 },
      { target: 'generator', callShare: 0.8, afterMs: 0 },
    ],
  },
]

test.each(rounds.map(round => [describeRound(round), round] as const))(
  '%s: the deployment resumes automatically, and the cloud equals the state',
  async (_title, round) => {
    await runRound(round)
  },
  400_000,
)
