import { test } from 'vitest'
import { runRound } from './round.ts'
import { type Round, describeRound } from './rounds.ts'

// The nightly tier runs fifty randomly drawn rounds of all kinds.
const rounds: readonly Round[] = [
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
